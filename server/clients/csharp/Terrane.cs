/* Ground of Terrane's worlds for C#: computed in the process by libterrane (World, Sampler), or asked of a server over
 * HTTP (Server). One file without dependencies, for Mono, .NET and engines that have either.
 *
 * Positions are long in units of 2⁻¹⁶ m: Metre units are a metre. x points east and y south, up to ±2⁴⁰ m. Samples are
 * floats in the layer's unit and have the same bits in both. Rows run from north to south.
 *
 * Threads may share a World and a Server; a Sampler belongs to one thread at a time. Every failure is a
 * TerraneException. */
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.InteropServices;
using System.Text;

namespace Terrane
{
    /* What went wrong, where, and what is allowed. Status is that of a server's response, or 0. */
    public sealed class TerraneException : Exception
    {
        public readonly int Status;
        public TerraneException(string message, int status = 0) : base(message) { Status = status; }
    }

    /* In units of 2⁻¹⁶ m. */
    [StructLayout(LayoutKind.Sequential)]
    public struct Place
    {
        public const long Metre = 65536;
        public long X, Y;
        public Place(long x, long y) { X = x; Y = y; }
    }

    /* The name of a sea, a range, a river, a peak …, as /labels of a server has it. */
    public sealed class Label
    {
        public ulong Id;
        public Place Place;
        public string Kind, Name;
        public float Height; /* of a peak or hill, metres above the sea; else 0 */
        public int Rank; /* the least zoom at which it may show */
    }

    /* core/terrane.h. */
    internal static class Native
    {
        const string Library = "terrane";
        internal const int ErrorBytes = 620, LineBytes = 1024, DigestBytes = 33;

        [StructLayout(LayoutKind.Sequential)]
        internal struct Request { public IntPtr Layers, Outputs; public uint Count; }
        [StructLayout(LayoutKind.Sequential)]
        internal struct Grid { public long X, Y, Step; public uint Columns, Rows; public double Spacing, Z, T; }
        [StructLayout(LayoutKind.Sequential)]
        internal struct Points { public IntPtr Places; public UIntPtr Count; public double Spacing, Z, T; }
        [StructLayout(LayoutKind.Sequential)]
        internal struct View { public long West, North, East, South; public int Zoom; }
        [StructLayout(LayoutKind.Sequential)]
        internal struct LabelData
        {
            public ulong Id;
            public long X, Y;
            public double Size, Angle, Length;
            public float Height;
            public int Rank;
            [MarshalAs(UnmanagedType.ByValArray, SizeConst = 16)] public byte[] Kind;
            [MarshalAs(UnmanagedType.ByValArray, SizeConst = 128)] public byte[] Name;
        }

        [DllImport(Library)] internal static extern UIntPtr terrane_error_text(byte[] error, [Out] byte[] line, UIntPtr size);
        [DllImport(Library)]
        internal static extern IntPtr terrane_world_parse(byte[] text, UIntPtr length, byte[] file, [Out] byte[] error);
        [DllImport(Library)] internal static extern IntPtr terrane_world_reseed(IntPtr world, byte[] seed, [Out] byte[] error);
        [DllImport(Library)] internal static extern void terrane_world_release(IntPtr world);
        [DllImport(Library)] internal static extern IntPtr terrane_world_fingerprint(IntPtr world);
        [DllImport(Library)] internal static extern int terrane_layer_find(IntPtr world, byte[] name);
        [DllImport(Library)] internal static extern IntPtr terrane_sampler_new();
        [DllImport(Library)] internal static extern void terrane_sampler_free(IntPtr sampler);
        [DllImport(Library)]
        [return: MarshalAs(UnmanagedType.I1)]
        internal static extern bool terrane_sample_grid(IntPtr sampler, IntPtr world, ref Grid grid, ref Request request,
            [Out] byte[] error);
        [DllImport(Library)]
        [return: MarshalAs(UnmanagedType.I1)]
        internal static extern bool terrane_sample_points(IntPtr sampler, IntPtr world, ref Points points, ref Request request,
            [Out] byte[] error);
        [DllImport(Library)] internal static extern IntPtr terrane_labels_new();
        [DllImport(Library)] internal static extern void terrane_labels_free(IntPtr labels);
        [DllImport(Library)]
        [return: MarshalAs(UnmanagedType.I1)]
        internal static extern bool terrane_labels_find(IntPtr labels, IntPtr sampler, IntPtr world, ref View view,
            [Out] byte[] error);
        [DllImport(Library)] internal static extern UIntPtr terrane_label_count(IntPtr labels);
        [DllImport(Library)]
        [return: MarshalAs(UnmanagedType.I1)]
        internal static extern bool terrane_label_get(IntPtr labels, UIntPtr index, out LabelData label);
        [DllImport(Library)] internal static extern void terrane_digest(float[] samples, UIntPtr count, [Out] byte[] digest);

        /* A terminated text. */
        internal static byte[] Bytes(string text)
        {
            if (text.IndexOf('\0') >= 0) throw new TerraneException("a text must not contain a zero byte");
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        internal static string Text(byte[] bytes)
        {
            int end = Array.IndexOf(bytes, (byte)0);
            return Encoding.UTF8.GetString(bytes, 0, end < 0 ? bytes.Length : end);
        }

        internal static TerraneException Failure(byte[] error)
        {
            byte[] line = new byte[LineBytes];
            terrane_error_text(error, line, (UIntPtr)line.Length);
            return new TerraneException(Text(line));
        }

        internal static IntPtr Owned(IntPtr handle)
        {
            if (handle == IntPtr.Zero) throw new TerraneException("out of memory");
            return handle;
        }
    }

    /* A world, which never changes. It is released when it is disposed of or collected. */
    public sealed class World : SafeHandle
    {
        World(IntPtr world) : base(IntPtr.Zero, true) { SetHandle(world); }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
        protected override bool ReleaseHandle() { Native.terrane_world_release(handle); return true; }
        internal IntPtr Pointer
        {
            get
            {
                if (IsClosed) throw new ObjectDisposedException("World");
                return handle;
            }
        }

        /* The world of a file's text; `file` is its name in messages. */
        public static World Parse(string text, string file)
        {
            byte[] error = new byte[Native.ErrorBytes], bytes = Encoding.UTF8.GetBytes(text);
            IntPtr world = Native.terrane_world_parse(bytes, (UIntPtr)bytes.Length, Native.Bytes(file), error);
            if (world == IntPtr.Zero) throw Native.Failure(error);
            return new World(world);
        }

        /* The world with the same formulas and another seed; decimal digits mean the number. */
        public World Reseed(string seed)
        {
            byte[] error = new byte[Native.ErrorBytes];
            IntPtr world = Native.terrane_world_reseed(Pointer, Native.Bytes(seed), error);
            GC.KeepAlive(this);
            if (world == IntPtr.Zero) throw Native.Failure(error);
            return new World(world);
        }

        /* "g1-" and 32 hex digits. */
        public string Fingerprint
        {
            get
            {
                string text = Marshal.PtrToStringAnsi(Native.terrane_world_fingerprint(Pointer));
                GC.KeepAlive(this);
                return text;
            }
        }

        internal uint[] Numbers(string[] layers)
        {
            return layers.Select(name =>
            {
                int layer = Native.terrane_layer_find(Pointer, Native.Bytes(name));
                if (layer < 0) throw new TerraneException("the world has no layer \"" + name + "\"");
                return (uint)layer;
            }).ToArray();
        }
    }

    /* The memory of one thread. It serves any world. */
    public sealed class Sampler : SafeHandle
    {
        delegate bool Call(ref Native.Request request, byte[] error);

        public Sampler() : base(IntPtr.Zero, true) { SetHandle(Native.Owned(Native.terrane_sampler_new())); }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
        protected override bool ReleaseHandle() { Native.terrane_sampler_free(handle); return true; }
        IntPtr Pointer
        {
            get
            {
                if (IsClosed) throw new ObjectDisposedException("Sampler");
                return handle;
            }
        }

        /* Samples of layers at places, those of the first layer and then those of the next. `spacing` is the level of
         * detail in metres between samples, and 0 full detail. */
        public float[] Points(World world, string[] layers, Place[] places, double spacing = 0)
        {
            GCHandle pinned = GCHandle.Alloc(places, GCHandleType.Pinned);
            try
            {
                Native.Points points = new Native.Points
                {
                    Places = pinned.AddrOfPinnedObject(), Count = (UIntPtr)places.Length, Spacing = spacing,
                };
                return Sample(world, layers, places.Length, (ref Native.Request request, byte[] error) =>
                    Native.terrane_sample_points(Pointer, world.Pointer, ref points, ref request, error));
            }
            finally { pinned.Free(); }
        }

        /* Heights in full detail. */
        public float[] Heights(World world, Place[] places) { return Points(world, new[] { "height" }, places); }

        /* A chunk as r32f of a server: (size + 1)² samples a layer. `step` is in units of 2⁻¹⁶ m, a power of two. */
        public float[] Chunk(World world, string[] layers, long cx, long cy, int size = 64, long step = Place.Metre)
        {
            if (size < 1 || size > 1024) throw new TerraneException("size must be 1 to 1024 steps, not " + size);
            if (step < 4096 || step > 1L << 32 || (step & (step - 1)) != 0)
                throw new TerraneException("step must be a power of two from 4096 to 2^32, not " + step);
            long edge = (1L << 56) / (size * step);
            if (cx < -edge || cx >= edge || cy < -edge || cy >= edge)
                throw new TerraneException("chunk " + cx + " " + cy + " lies beyond the edge of the world", 404);
            uint side = (uint)size + 1;
            Native.Grid grid = new Native.Grid
            {
                X = cx * size * step, Y = cy * size * step, Step = step, Columns = side, Rows = side,
                Spacing = (double)step / Place.Metre,
            };
            return Sample(world, layers, (int)(side * side), (ref Native.Request request, byte[] error) =>
                Native.terrane_sample_grid(Pointer, world.Pointer, ref grid, ref request, error));
        }

        /* The labels in a rectangle of the map at a zoom, the best first. */
        public List<Label> Labels(World world, Place northWest, Place southEast, int zoom)
        {
            IntPtr list = Native.Owned(Native.terrane_labels_new());
            try
            {
                byte[] error = new byte[Native.ErrorBytes];
                Native.View view = new Native.View
                {
                    West = northWest.X, North = northWest.Y, East = southEast.X, South = southEast.Y, Zoom = zoom,
                };
                if (!Native.terrane_labels_find(list, Pointer, world.Pointer, ref view, error)) throw Native.Failure(error);
                GC.KeepAlive(world);
                List<Label> labels = new List<Label>();
                Native.LabelData found;
                for (ulong i = 0; Native.terrane_label_get(list, (UIntPtr)i, out found); i++)
                    labels.Add(new Label
                    {
                        Id = found.Id, Place = new Place(found.X, found.Y), Kind = Native.Text(found.Kind),
                        Name = Native.Text(found.Name), Height = found.Height, Rank = found.Rank,
                    });
                return labels;
            }
            finally { Native.terrane_labels_free(list); }
        }

        /* What X-Terrane-Digest of a server says of the same samples. */
        public static string Digest(float[] samples)
        {
            byte[] text = new byte[Native.DigestBytes];
            Native.terrane_digest(samples, (UIntPtr)samples.Length, text);
            return Native.Text(text);
        }

        float[] Sample(World world, string[] layers, int count, Call call)
        {
            uint[] numbers = world.Numbers(layers);
            float[] samples = new float[count * numbers.Length];
            byte[] error = new byte[Native.ErrorBytes];
            IntPtr[] outputs = new IntPtr[numbers.Length];
            GCHandle[] pinned = new object[] { numbers, samples, outputs }
                .Select(each => GCHandle.Alloc(each, GCHandleType.Pinned)).ToArray();
            try
            {
                for (int i = 0; i < outputs.Length; i++)
                    outputs[i] = new IntPtr(pinned[1].AddrOfPinnedObject().ToInt64() + (long)sizeof(float) * count * i);
                Native.Request request = new Native.Request
                {
                    Layers = pinned[0].AddrOfPinnedObject(), Outputs = pinned[2].AddrOfPinnedObject(),
                    Count = (uint)numbers.Length,
                };
                if (!call(ref request, error)) throw Native.Failure(error);
                GC.KeepAlive(world);
                GC.KeepAlive(this);
                return samples;
            }
            finally { foreach (GCHandle each in pinned) each.Free(); }
        }
    }

    /* A world of a server: a name, also with ~SEED and @FINGERPRINT, as in an address. */
    public sealed class Server
    {
        readonly string address;
        public int Timeout = 30000; /* milliseconds of one request */

        public Server(string url, string world) { address = url.TrimEnd('/') + "/worlds/" + world; }

        /* Samples of layers at places in full detail, those of the first layer and then those of the next: at most 10,000
         * places at once. */
        public float[] Points(string[] layers, Place[] places)
        {
            byte[] body = places.SelectMany(place => new[] { place.X, place.Y }).SelectMany(LittleEndian).ToArray();
            return Floats(Ask("/heights?coordinates=int64&layers=" + Names(layers), body), layers.Length * places.Length);
        }

        public float[] Heights(Place[] places) { return Points(new[] { "height" }, places); }

        /* A chunk as Sampler.Chunk() has it. */
        public float[] Chunk(string[] layers, long cx, long cy, int size = 64, long step = Place.Metre)
        {
            string metres = ((double)step / Place.Metre).ToString("R", CultureInfo.InvariantCulture);
            byte[] bytes = Ask("/chunks/" + cx + "/" + cy + ".r32f?size=" + size + "&step=" + metres + "&layers=" + Names(layers), null);
            return Floats(bytes, layers.Length * (size + 1) * (size + 1));
        }

        static string Names(string[] layers) { return string.Join(",", layers.Select(Uri.EscapeDataString).ToArray()); }

        static byte[] LittleEndian(long value)
        {
            return Enumerable.Range(0, 8).Select(i => (byte)(value >> (8 * i))).ToArray();
        }

        static float[] Floats(byte[] bytes, int count)
        {
            if (bytes.Length != 4 * count) throw new TerraneException(bytes.Length + " bytes, not " + 4 * count);
            if (!BitConverter.IsLittleEndian)
                for (int i = 0; i < bytes.Length; i += 4) Array.Reverse(bytes, i, 4);
            float[] samples = new float[count];
            Buffer.BlockCopy(bytes, 0, samples, 0, bytes.Length);
            return samples;
        }

        byte[] Ask(string path, byte[] body)
        {
            HttpWebRequest request = (HttpWebRequest)WebRequest.Create(address + path);
            request.Timeout = request.ReadWriteTimeout = Timeout;
            request.AutomaticDecompression = DecompressionMethods.GZip;
            if (body != null)
            {
                request.Method = "POST";
                request.ContentType = request.Accept = "application/octet-stream";
            }
            try
            {
                if (body != null)
                    using (Stream stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
                using (WebResponse response = request.GetResponse()) return ReadAll(response);
            }
            catch (WebException error)
            {
                HttpWebResponse response = error.Response as HttpWebResponse;
                if (response == null) throw new TerraneException(address + path + ": " + error.Message);
                using (response)
                    throw new TerraneException(address + path + ": " + (int)response.StatusCode + ": "
                        + Encoding.UTF8.GetString(ReadAll(response)), (int)response.StatusCode);
            }
        }

        static byte[] ReadAll(WebResponse response)
        {
            using (Stream stream = response.GetResponseStream())
            using (MemoryStream bytes = new MemoryStream())
            {
                stream.CopyTo(bytes);
                return bytes.ToArray();
            }
        }
    }
}
