/* Compares what the library and a server have of a world at 500 places and in a chunk, and prints the names on a map:
 * Places.exe WORLD.json URL NAME */
using System;
using System.IO;
using System.Linq;
using Terrane;

static class Places
{
    static readonly string[] Layers = { "height", "biome" };

    static void Print(string file, string url, string name)
    {
        using (World world = World.Parse(File.ReadAllText(file), file))
        using (Sampler sampler = new Sampler())
        {
            Server server = new Server(url, name + "@" + world.Fingerprint);
            Place[] places = Enumerable.Range(0, 500)
                .Select(i => new Place((i * 937 - 200000) * Place.Metre, (i * i % 7919 * 41 - 90000) * Place.Metre)).ToArray();
            float[] heights = sampler.Heights(world, places);
            Console.WriteLine("heights\t" + Sampler.Digest(heights) + "\t" + Sampler.Digest(server.Heights(places)));
            for (int i = 0; i < places.Length; i++)
                Console.WriteLine("height\t{0}\t{1}\t{2:x8}", places[i].X / Place.Metre, places[i].Y / Place.Metre,
                    BitConverter.ToUInt32(BitConverter.GetBytes(heights[i]), 0));
            float[] chunk = sampler.Chunk(world, Layers, 3, -2);
            Console.WriteLine("chunk\t" + Sampler.Digest(chunk) + "\t" + Sampler.Digest(server.Chunk(Layers, 3, -2)));
            long side = 131072 * Place.Metre;
            foreach (Label label in sampler.Labels(world, new Place(-side, -side), new Place(side, side), 9))
                Console.WriteLine("label\t" + label.Id + "\t" + label.Kind + "\t" + label.Name);
        }
    }

    static int Main(string[] words)
    {
        if (words.Length != 3)
        {
            Console.Error.WriteLine("usage: Places.exe WORLD.json URL NAME");
            return 2;
        }
        try
        {
            Print(words[0], words[1], words[2]);
            return 0;
        }
        catch (Exception error)
        {
            if (!(error is TerraneException) && !(error is IOException)) throw;
            Console.Error.WriteLine("Places: " + error.Message);
            return 1;
        }
    }
}
