/* The bindings by themselves, on a world whose height is x − 2y. */
using System;
using System.Linq;
using System.Threading.Tasks;
using Terrane;

static class Bindings
{
    const string Slope =
        "{\"generator\": 1, \"seed\": 1, \"layers\": {\"height\": \"x - 2 * y\", \"noise\": \"perlin(wavelength=64)\"}}";
    const long Metre = Place.Metre;
    static readonly string[] Height = { "height" };

    static void Expect(bool holds, string what)
    {
        if (!holds) throw new Exception(what);
    }

    static void ExpectError(string words, Action action)
    {
        try
        {
            action();
        }
        catch (TerraneException error)
        {
            Expect(error.Message.Contains(words), error.Message);
            return;
        }
        throw new Exception("no error that says " + words);
    }

    static void Samples(World world, Sampler sampler)
    {
        Place[] places = { new Place(3 * Metre, Metre / 2), new Place(-Metre, 0) };
        Expect(sampler.Heights(world, places).SequenceEqual(new[] { 2f, -1f }), "heights");
        Expect(sampler.Heights(world, new Place[0]).Length == 0, "no places");
        float[] samples = sampler.Chunk(world, Height, 2, 0, 1, 4 * Metre);
        Expect(samples.SequenceEqual(new[] { 8f, 12f, 0f, 4f }), "a chunk");
        float[] both = sampler.Chunk(world, new[] { "noise", "height" }, 2, 0, 1, 4 * Metre);
        Expect(both.Skip(4).SequenceEqual(samples), "two layers");
        Expect(Sampler.Digest(new float[0]) == new string('0', 32), "the digest of nothing");
    }

    static void Errors(World world, Sampler sampler)
    {
        ExpectError("no layer \"hight\"", () => sampler.Chunk(world, new[] { "hight" }, 0, 0));
        ExpectError("size must be 1 to 1024", () => sampler.Chunk(world, Height, 0, 0, 0));
        ExpectError("power of two", () => sampler.Chunk(world, Height, 0, 0, 64, 3 * Metre));
        ExpectError("beyond the edge", () => sampler.Chunk(world, Height, 1L << 34, 0));
        ExpectError("beyond the edge", () => sampler.Chunk(world, Height, 0, long.MinValue));
        ExpectError("", () => sampler.Chunk(world, new string[0], 0, 0));
        ExpectError("", () => sampler.Labels(world, new Place(0, 0), new Place(0, 1), 9));
        ExpectError("zero byte", () => World.Parse("{}", "a\0b"));
        ExpectError("zero byte", () => world.Reseed("a\0b"));
        ExpectError("gone.json", () => World.Parse("{", "gone.json"));
    }

    static float[] Noise(World world)
    {
        using (Sampler sampler = new Sampler())
            return sampler.Points(world, new[] { "noise" },
                Enumerable.Range(0, 1000).Select(i => new Place(i * Metre, 7 * i * Metre)).ToArray());
    }

    static void Threads(World world)
    {
        float[] alone = Noise(world);
        Task<float[]>[] tasks = Enumerable.Range(0, 4).Select(i => Task.Run(() => Noise(world))).ToArray();
        Expect(tasks.All(task => task.Result.SequenceEqual(alone)), "threads");
    }

    static void Seeds(World world)
    {
        using (World same = world.Reseed("1"))
        using (World other = world.Reseed("2"))
            Expect(same.Fingerprint == world.Fingerprint && other.Fingerprint != world.Fingerprint, "seeds");
    }

    static void Main()
    {
        using (World world = World.Parse(Slope, "slope.json"))
        using (Sampler sampler = new Sampler())
        {
            Samples(world, sampler);
            Console.WriteLine("samples");
            Errors(world, sampler);
            Console.WriteLine("errors");
            Threads(world);
            Console.WriteLine("threads");
            Seeds(world);
            Console.WriteLine("seeds");
        }
    }
}
