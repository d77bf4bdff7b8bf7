/* An endless drainage network, and the land that it shapes.
 *
 * A network of streams covers the plane. Every stream ends in a larger one, in a sink or in the
 * sea, and its bed falls all the way. The height of a place is the lowest, over all streams, of the
 * stream's bed plus a rise that grows with the distance from it, so water runs down to a stream
 * from everywhere and no place lies in a pit (envelope.c).
 *
 *      level 0        level 1            level 2
 *     o      o       o  .  o  .        o .o. o .o.     o  a node: where a stream begins
 *      \    /         \ . / .           \|. /_/.       \  its way down
 *       \  /         .-\-/-.           '.-\-/--'
 *        \/         .   V   .         .-'--V--.-'      one node in each cell; level k's cells
 *        |              |                  |           are half as wide as those of level k - 1
 *
 * Nodes stand in the cells of square grids, one in each, at a place that is a hash of the cell. A
 * node of level 0 sends its stream to the neighbour towards which the potential falls most, unless
 * others that fall more steeply meet there already (course/trunks.c); a node of a finer level to
 * the stream of the levels above on whose land it is (course/branches.c). What a node does depends
 * only on its cell and those around, so a stream is the same from wherever it is looked at. At
 * every level of detail it ends on the same one; the finest of a view have fewer pieces and no
 * lakes of their own, and finer levels add to it. Between the ends of its pieces it curves, as
 * finely as a view can show (arc.h).
 *
 * The world gives three fields: a potential, which level 0 follows; a target height in metres,
 * which beds and ridges aim at; a relief in metres, from the valleys to the ridges between streams
 * of level 1. Streams read them at nodes and joints, from a lattice (fields.h). The sea is what
 * lies below 0. A fourth field may say which share of long streams have a lake (lakes.h): under
 * water beds do not fall all the way, but the water's surface does, and leads on. And a share of
 * the rivers that reach a shallow sea build a delta there (deltas.h).
 *
 * Places of nodes are exact integers, in units of 2⁻¹⁶ m, and what is computed in floats is
 * computed from differences of them in an order that the cell alone decides: samples are the same
 * bits on every machine, whatever was asked before and however much is kept.
 *
 * The hierarchy, with a height from the network instead of a network from the heights, follows
 * J.-D. Génevaux et al., "Terrain generation using procedural models based on hydrology" (2013). */
#ifndef TERRANE_DRAINAGE_DRAINAGE_H
#define TERRANE_DRAINAGE_DRAINAGE_H

#include "core/drainage/land/samples.h"
#include "core/drainage/network/network.h"
#include "core/drainage/store/cache_share.h"

/* The width in metres of a river that drains `flow` square metres, in a humid climate. */
float drainage_river_width(float flow);

/* Scratch memory of one thread at a time; streams and land are kept in a cache, which any number of
 * threads may share. More is held while a request needs more. */
struct drainage;
struct drainage *drainage_new(struct drainage_cache *cache); /* null when memory is out */
void drainage_free(struct drainage *drainage);
/* The bytes that are held now, without the cache. */
size_t drainage_memory(const struct drainage *drainage);

/* Writes `count` samples, `metres` apart for the level of detail (0: full detail), of the outputs
 * that are not null. Cells must be within ±2⁴⁶ m. False when memory is out, or when the work that
 * the network may take is (work_fail()). */
bool drainage_sample(struct drainage *drainage, const struct drainage_network *network,
                     double metres, size_t count, const struct drainage_samples *samples,
                     float *const outputs[DRAINAGE_OUTPUTS]);

#endif
