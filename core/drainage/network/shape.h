/* The constants of the land's look: how streams run, how deep they cut, how the land rises from
 * them, and how rivers, lakes and deltas are laid out. Internal to core/drainage.
 *
 * A constant is here if another value makes another land, and stands with its use if another value
 * only makes the same land slower or with more memory. Each says what it does, its unit, and what
 * half and twice of it do. Changing one changes samples of every drained world. Four constants of
 * this kind are in network.h, as formulas and prices read them: DRAINAGE_FINEST_LOG2,
 * DRAINAGE_LAKES_LOG2, DRAINAGE_FIELDS_LOG2 and DRAINAGE_DELTAS_LEVEL.
 *
 * Words: a width is that of a cell of the stream's level; in the land's part, of the level that is
 * looked at, which has the finest streams in view. Relief is the field of that name, metres.
 *
 * Where half or twice is said in figures of slopes, heights, pits or roughness, it was measured in
 * 11 tiles of the world terra: plains, ranges and coasts of zooms 6, 9, 12 and 14. */
#ifndef TERRANE_DRAINAGE_NETWORK_SHAPE_H
#define TERRANE_DRAINAGE_NETWORK_SHAPE_H

/* ---- nodes and pieces: nodes.c, nodes.h */

enum {
    /* How far a node of level 0 may be from the middle of its cell, by axis, in 1/256 of a width.
     * Half: on even ground trunks follow the rows, columns and diagonals of the grid. Twice: nodes
     * leave their cells, which margins (store.c) do not allow; up to 107 trunks only meet at more
     * acute angles. */
    SHAPE_TRUNK_JITTER = 77,
    /* The same for all other levels. Half: brooks on plains stand in rows to the north and to the
     * west, as threads of a cloth. Twice: not allowed; 107 leaves 0.08 widths to the edge of the
     * cell, on which the margins of store.c and lists.c count. */
    SHAPE_BRANCH_JITTER = 107,
    /* log2 of the widths, in metres, from which streams have 32, 16, 8, 4 and 2 pieces; below the
     * last they are one straight piece. One less (half the width): streams of one more level bend
     * in so many joints, and lists of segments are longer. One more: they are straighter, and lists
     * shorter. */
    SHAPE_PIECES_32_LOG2 = 17,
    SHAPE_PIECES_16_LOG2 = 16,
    SHAPE_PIECES_8_LOG2 = 12,
    SHAPE_PIECES_4_LOG2 = 11,
    SHAPE_PIECES_2_LOG2 = 10,
    /* The most pieces of streams in views whose cells are wider than 2^SHAPE_PIECES_WIDE_LOG2
     * metres. Half: rivers are drawn in pieces of 16 samples. Twice: of 4 samples, and tiles of
     * zoom 4 take a fifth longer. A log2 more: the same a zoom closer. */
    SHAPE_PIECES_WIDE = 8,
    SHAPE_PIECES_WIDE_LOG2 = 14,
    /* The most pieces of the finest streams in a view, which no stream joins there: so they have
     * only as many as are seen, those of their halves. Half: such streams are straight. Twice: they
     * bend within less than 4 samples, and lists of segments are a third longer. */
    SHAPE_PIECES_FINEST = 2,
    /* The same of the streams of the level above, where cells of the finest have fewer samples than
     * SHAPE_CELL_SAMPLES: their pieces are 4 samples long then, too. Half: such streams have no
     * lakes, as a lake has 2 pieces and streams 4 at least. Twice: tiles of zoom 4 take up to a
     * quarter longer, and look the same but for some lakes of less than 8 samples. */
    SHAPE_PIECES_SECOND = 4,
};

/* Cells are at least so many samples wide: it decides which streams a view has. Half: streams of
 * one more level, for which tiles take about twice as long; as long lines of valleys that 200
 * samples and more drain to, but half as much again of small ones beside them; and sides of
 * SHAPE_SIDES_COARSER would be too steep. Twice: valleys twice as far apart in a picture. */
static const double SHAPE_CELL_SAMPLES = 16.0;
/* The same down to level SHAPE_CELL_LEVEL, as coasts and lakes of level 0 alone are round, and
 * ranges without level 2 smooth. Half: levels 1 and 2 are there one zoom earlier, in 4 times the
 * time. Twice: views whose cells of level 0 have 16 samples have no other. A level less: the land
 * of terra is smooth at zoom 5, in two thirds of the time. */
static const double SHAPE_CELL_SAMPLES_COARSE = 8.0;
enum { SHAPE_CELL_LEVEL = 2 };

/* ---- level 0: trunks.c */

enum {
    /* From how many nodes upstream a trunk's flow is counted; it is at most that of one node more
     * than these. Half: the greatest rivers drain 5 cells instead of 9, and are 0.75 times as wide.
     * Twice: 17 cells and 1.4 times as wide, and at least twice as many potentials are sampled. */
    SHAPE_TRUNK_FLOW_STEPS = 8,
    /* How many trunks lead to the same node, if others have another way. Half: rivers run side by
     * side instead of meeting. Twice: up to five meet in a star. */
    SHAPE_TRUNKS_MEET = 2,
};

/* ---- where streams end: branches.c */

/* How far downstream of its nearest point on another stream a stream joins it, in distances from
 * there: the tangent of the angle by which its way leans downstream. Half: streams meet at some
 * 78°, as in a comb. Twice: at some 50°, long ways run beside the stream that they join, and twice
 * as many cross another one. */
static const float SHAPE_JOIN_LEAN = 0.4f;
/* Ways that come from behind the beginning of a stream end on its first so many widths. Half: they
 * meet in a star where the stream begins. Twice: they spread along its first piece. Slopes stay as
 * they are in both cases. */
static const float SHAPE_JOIN_FAN_WIDTHS = 0.5f;
/* A stream joins none that is farther from its node than so many widths, unless it is the nearest.
 * Half: streams on a plateau run to the rim of the valley beside it, with a cliff between them and
 * those from below; plains are 2 to 16 % flatter, with more pits. Twice: not allowed, as lists of
 * visible segments (lists.c) end nearer and margins count on it. */
static const float SHAPE_JOIN_WIDTHS = 2.0f;
/* Beds above the target of a node count as up to so many times farther above it, besides their
 * height, where the node looks for the stream that it joins: in full SHAPE_JOIN_WIDTHS from the
 * stream, and not at all at the stream. At 0 low land beside a higher stream is a plateau as high
 * as that, with a cliff where other land begins. Half: 4.7 instead of 4.9 % of the lengths of
 * streams are more than 3 m above the land that others shape there. Twice: 5.4 %. */
static const float SHAPE_JOIN_ABOVE = 3.0f;
/* The way downstream is cut where the stream would be longer than so many widths. Half: streams
 * from far away meet others at right angles. Twice: not allowed, by the margins of store.c. */
static const float SHAPE_JOIN_LENGTH_WIDTHS = 2.0f;
/* The places where streams may join a course are at most so many widths apart: streams that run
 * side by side join at one of them instead of crossing just before. Half: a fifth more of the
 * streams cross another one of their level. Twice: they meet in stars. */
static const float SHAPE_JOIN_EXACT_WIDTHS = 0.4f;
/* The flow at the node of a stream, in cells of its level; where it ends it is 1 cell. Half, twice:
 * brooks are 0.7 or 1.4 times as wide where they begin. */
static const float SHAPE_BRANCH_FLOW = 0.25f;

/* ---- how beds rise from where they end to the node: branches.c */

/* The steepest rise, in slopes of the land beside the stream (SHAPE_SLOPE_SOFTNESS) for a relief
 * that is SHAPE_RISE_RELIEF_FREE metres more. It decides, too, on whose land a node lies. Half:
 * streams do not reach their targets; ranges are up to 150 m lower, and land near rivers stays low,
 * so that plains are 1.2 to 1.6 times as steep. Twice: ranges are up to 100 m higher, and heights
 * of zooms differ 1.1 to 2.5 times as much. */
static const float SHAPE_RISE_MOST = 1.9f;
/* Beds may rise as if there were so much more relief, metres. Half: land in plains that is near a
 * large river stays below its target (by 80 m in a plain of 300 m), with a cliff to land that is
 * far from it and reaches it. Twice: beds in plains rise as in low ranges; such a plain is 150 m
 * higher and a third steeper. Ranges change by some 2 %. */
static const float SHAPE_RISE_RELIEF_FREE = 300.0f;
/* The least rise, in slopes of the land beside the stream. Half: hardly a difference, as targets
 * ask for more nearly everywhere. Twice: heads of valleys stand above their target where it is low,
 * by up to 25 m in ranges. */
static const float SHAPE_RISE_LEAST = 0.12f;
/* Beds rise by this share of the way to the target, and by a hash up to so much more. Half the
 * share: heights lag behind the target at every level; ranges are 30 to 120 m lower, and plains up
 * to 3 times as steep. Twice: heights swing above it; slopes are 0.4 to 0.9 times as steep. A range
 * of 0 gives neighbouring heads of valleys one height; twice the range makes them uneven, with
 * slopes of 0.85 to 1. */
static const float SHAPE_RISE_SHARE = 0.88f, SHAPE_RISE_SHARE_RANGE = 0.15f;

/* Streams of levels from this one on do not rise towards their target alone, but by a share towards
 * the land that views without their level show where they begin: so a closer view cuts valleys into
 * the land that was seen, instead of making other land. Half of the share: heights of zooms differ
 * up to 1.1 times as much, and plains are up to 1.5 times as steep close by. Twice (1 at the most):
 * ranges of zooms 6 to 8 differ 0.85 to 0.95 times as much, but plains are 0.6 to 0.8 times as
 * steep. A level less: hardly a difference. A level more: views of zoom 6 differ 1.08 times as much
 * from those of zoom 7. */
enum { SHAPE_LAND_LEVEL = 3 };
static const float SHAPE_LAND_SHARE = 0.5f;

/* ---- how courses bend: bends.c */

/* How far aside a joint moves at the most, in shares of its room to other streams. Half: streams
 * look drawn by a ruler. Twice: rivers swing in wide arcs and may take another side of a mountain,
 * and more than one in a hundred crosses another one of its level. */
static const float SHAPE_BEND = 0.45f;
/* The same in each of the narrower arcs that streams of 8 pieces and more have, which are those of
 * streams of the next one to four levels; in shares of the room that these would have. Those of 16
 * pieces and more have the second. Half: long arcs alone are seen. Twice: twice as many cross
 * another one. */
static const float SHAPE_BEND_FINER = 0.5f, SHAPE_BEND_FINER_TRUNKS = 0.75f;
/* Within so many widths of a node of its level a joint moves less, and not at all at the node.
 * Half: joints move freely, and streams may run across the nodes of others. Twice: they move by
 * about a tenth, as most places have several nodes within 1.2 widths. */
static const float SHAPE_BEND_NODE_WIDTHS = 0.6f;
/* Room is at most so many widths. Half: nearly as half of SHAPE_BEND, as room is mostly more than
 * this. Twice: bends are wider where streams end far away, and lead out of what margins in store.c
 * count on. */
static const float SHAPE_BEND_ROOM_WIDTHS = 0.5f;

/* ---- how courses curve between joints: arc.c, course/curves.c */

/* How far aside the middle of a part of a course moves, in lengths of the part: in plains by 0.4 to
 * 1 of this, to both sides in turn; in ranges anywhere up to SHAPE_WINDING_RANGES of this. Half:
 * courses are smooth arcs. Twice: they fray, and more of them cross. */
static const float SHAPE_SWING = 0.3f;
/* The same of a whole piece at the most, in distances of the stream's node from the stream that it
 * joins; less and less towards its end, where neighbours come near, and half as far where it does
 * not join the nearest one. Parts of a piece have their share of that. Half: brooks of zoom 16 are
 * straight. Twice: a quarter more of the streams cross another one of their level. */
static const float SHAPE_SWING_ROOM = 0.12f;
/* And at the most so many distances of other nodes of its level from the stream's straight line:
 * their streams run beside it from there. Nodes behind its beginning count as farther off by the
 * second, in ways behind. Half of the first: streams that run side by side are straight. Twice: as
 * twice of SHAPE_SWING_ROOM. Half, twice of the second: hardly a difference. */
static const float SHAPE_SWING_BESIDE = 0.12f, SHAPE_SWING_BEHIND = 0.1f;
/* Parts shorter than this are smooth, metres; twice as long ones swing in full. Half: brooks of
 * zoom 17 fray, and leaves of full detail have twice as many parts. Twice: brooks of zoom 16 are
 * smooth. */
static const float SHAPE_SWING_LEAST = 16.0f;
/* Half the wavelength of meanders, in widths of the river (SHAPE_RIVER_HALF), as 10 to 14 widths
 * are a wavelength (L. B. Leopold and M. G. Wolman, 1957). Half: bends of a few widths, as of a
 * brook. Twice: rivers swing in wide arcs. */
static const float SHAPE_MEANDER_WIDTHS = 6.0f;
/* How far aside parts swing at the most that are half a wavelength long, in their lengths. Half: as
 * all others. Twice: bends overlap, and neighbouring streams cross. */
static const float SHAPE_MEANDER_SWING = 0.4f;
/* How much streams of ranges wind, of what those of plains do. Half: rivers of ranges look drawn by
 * a ruler. Twice (below 1): as in plains, but without meanders. */
static const float SHAPE_WINDING_RANGES = 0.6f;
/* Rivers whose meanders are shorter than twice this, metres, wind the less as in plains the shorter
 * these are. Half: a tenth more of the streams cross another one of their level. Twice: rivers of
 * zoom 12 do not meander. */
static const float SHAPE_WINDING_RIVER = 80.0f;
/* Streams wind as in ranges where the relief is above the second, metres, and as in plains below
 * the first. Half, twice: hills are ranges in this, or ranges plains. */
static const float SHAPE_WINDING_RELIEF_LOW = 150.0f, SHAPE_WINDING_RELIEF_HIGH = 900.0f;
/* Land has courses as lines that are this exact: in distances between samples, and in metres at the
 * least. Half: tiles take a tenth longer, and look nearly the same. Twice: rivers have corners, and
 * a place in a million is a pit beside a junction. */
static const double SHAPE_EXACT_SAMPLES = 1.0, SHAPE_EXACT_LEAST = 2.0;
/* The finest streams in a view are so many times less exact: no other ends on them there, and few
 * are drawn. Half: tiles take up to 5 % longer. Twice: heads of valleys are straight. */
static const double SHAPE_EXACT_FINEST = 2.8;
/* Streams come from upstream of their straight line, along the one that they join, where they would
 * meet that one at more than the angle of this cotangent, by so much that they meet at about that.
 * Half: at zoom 8 another 5 % of the junctions are wider than 70°. Twice: more streams meet at 30°
 * to 70°, but 1.4 times as many cross another one of their level. */
static const float SHAPE_JOIN_APPROACH = 0.4f;
/* The cosine of the angle at which streams turn to meet where they would at a wider one: 63°. Half:
 * junctions of 77°. Twice: streams are hooks where they end, and more of them cross. */
static const float SHAPE_JOIN_WIDE = 0.45f;
/* The most that a course leans to its chord where it begins, by a hash. Half: it begins straight
 * towards its end. Twice: heads of streams are hooks. */
static const float SHAPE_HEAD_LEAN = 0.3f;
/* The most that a course may lean to its chord anywhere. Half: corners at joints. Twice: loops. */
static const float SHAPE_LEAN_MOST = 0.8f;

/* ---- how beds fall: course/profile.c */

/* Target heights below this many metres are sea: streams that reach it stay in it. Half: hardly a
 * difference. Twice: seas of 4 to 8 m are land where beds lie above them, 8 % of the area of a flat
 * coast. */
static const float SHAPE_SEA_FROM = -4.0f;
/* Beds in the sea are at least so deep, metres. Half: no difference, as they are below their
 * target, too, by SHAPE_BRANCH_DEPTH: so 8 m at SHAPE_SEA_FROM. Twice: a step of 8 m between a
 * river's mouth and its way in the sea; coasts move a little. */
static const float SHAPE_SEA_BED = -6.0f;
/* The least fall of beds, metres a metre. Half, twice: flat coasts are 4 % steeper or 8 % flatter,
 * and rivers of 1000 km in wide plains begin 20 m lower or 40 m higher; elsewhere nothing is seen.
 * At 0 water would stand. */
static const float SHAPE_FALL_LEAST = 4e-5f;
/* A bed lies below the line rise * rest * (even + hollow * rest), where rest goes from 1 at the
 * node to 0 at the end. The two add up to 1. Half of `even` (and 0.775 of hollow): valleys with
 * flatter ends and steeper heads, up to 30 m lower between. Twice (0.9 and 0.1): nearly even
 * slopes; the land is up to 45 m higher, and 5 to 15 % flatter. */
static const float SHAPE_PROFILE_EVEN = 0.45f, SHAPE_PROFILE_HOLLOW = 0.55f;

/* ---- how deep streams cut: slopes.c */

/* The share of the relief that a level cuts, of that of the level above. A macro, as the table in
 * slopes.c is made of its powers. Above 0.5 each level is steeper than the one above. 0.31: ranges
 * are 300 to 1000 m lower and a fifth as steep. 0.72: their slopes are twice as steep already. */
#define SHAPE_RELIEF_SHARE 0.62f
/* Beds of level 0 are below the target by this share of the relief, and so many metres more. Half
 * of the share: hardly a difference, as beds are mostly held lower by the line of
 * SHAPE_PROFILE_HOLLOW. Twice: rivers in ranges lie some 20 m deeper here and there. */
static const float SHAPE_TRUNK_DEPTH_SHARE = 0.3f, SHAPE_TRUNK_DEPTH = 5.0f;
/* Beds of other levels: by this share of what the next level cuts, and so many metres more. Half of
 * the share: valleys are shallow; ranges 60 to 110 m higher, slopes 0.65 to 0.85 times as steep.
 * Twice: heads of valleys lie so low that ranges lose 40 to 130 m, with slopes 1.05 to 1.5 times as
 * steep. The metres matter in plains alone: half, slopes of 0.75 to 1 of these; twice, 1.1 to 1.6.
 */
static const float SHAPE_BRANCH_DEPTH_SHARE = 0.95f, SHAPE_BRANCH_DEPTH = 4.0f;
/* The slope beside streams is s / (1 + softness * s), where s is what the relief that they cut
 * makes over a width: so it is at most 1 / softness. Half: ranges are 5 to 15 % steeper. Twice: 8
 * to 20 % gentler. Plains, where s is small, stay as they are. */
static const float SHAPE_SLOPE_SOFTNESS = 1.15f;

/* ---- lakes: lakes.c */

enum {
    /* The pieces of the shortest lake; the longest has half of its stream's. 1: lakes of half the
     * length, ponds in a river. 4: not allowed, as half a stream of 4 pieces has 2. */
    SHAPE_LAKE_PIECES_LEAST = 2,
};
/* How deep the bed of a lake's stream is dug out in the middle of its reach, in what it was below
 * the target at the outlet, and by a hash up to so much more. Half: narrow lakes with short arms.
 * Twice: valleys that are flooded to their ridges, with cliffs where finer streams cannot rise so
 * far. */
static const float SHAPE_LAKE_DEPTH = 0.25f, SHAPE_LAKE_DEPTH_RANGE = 0.4f;
/* It is at most so many lengths of the reach, and so much more for each metre of relief. Half: flat
 * reaches alone have lakes in ranges. Twice: short lakes are as deep as their valleys. */
static const float SHAPE_LAKE_STEEPNESS = 7e-3f, SHAPE_LAKE_STEEPNESS_RELIEF = 1.5e-5f;
/* A lake's level is at least so many metres above the sea and above a lake downstream. Half: lakes
 * just behind the coast. Twice: fewer of them in plains. */
static const float SHAPE_LAKE_LEVEL_LEAST = 3.0f;
/* And so much more for each metre of its reach: the land around a long lake near the coast may be
 * lower than the lake. Half: more of these. Twice: hardly a long lake in plains. */
static const float SHAPE_LAKE_LEVEL_LENGTH = 0.0015f;
/* A lake's bed is at least so many metres high: lower ground would be sea. Half, twice: lakes near
 * the coast are 0.5 m deeper, or 1 m less deep. */
static const float SHAPE_LAKE_BED_LEAST = 1.0f;
/* A reach falls by at most so many depths of its lake. Half: only flat reaches, so fewer lakes in
 * ranges. Twice: lakes that fill a short part of their reach, and a trench above them. */
static const float SHAPE_LAKE_FALL_MOST = 1.2f;
/* The depth of a lake at a sink, metres. Half: small lakes, as the land around is nearly as low.
 * Twice: stars with arms of 10 km where the land around has relief. */
static const float SHAPE_LAKE_SINK_DEPTH = 25.0f;
/* A sink has no lake where there is room for less than this share of its depth: for a metre. Half,
 * twice: hardly a difference. 6 times: sinks less than 7 m above the sea lie open, as flat ground
 * that nothing flows out of. */
static const float SHAPE_LAKE_SINK_ROOM = 0.04f;

/* ---- deltas: deltas.c. Lengths are in lengths of the delta's line, from apex to tip, if no other
 * unit is named. */

/* The length of the delta of the greatest river, in widths of level 0. Half, twice: half or twice
 * as long and wide; twice does not keep to the margins of store.c, and few bays have room for it.
 */
static const float SHAPE_DELTA_LENGTH_WIDTHS = 0.27f;
/* The flow of that river, in cells; other deltas are as long as the root of their flow. It is the
 * most that SHAPE_TRUNK_FLOW_STEPS allows. Half, twice: all deltas are 1.4 times as long, or 0.7.
 */
static const float SHAPE_DELTA_FLOW_CELLS = 9.0f;
enum {
    /* The level whose targets tell sea from land. 1 or 2 fewer: coasts are as coarse as trunks see
     * them, and deltas begin in the sea or far inland. More: each is 4 times as many samples. */
    SHAPE_DELTA_FIELDS_LEVEL = 4,
};
/* The step, in widths of level 0, by which a line is followed to find the shore. Half: the shore is
 * found to 1.6 km, in twice the steps. Twice: to 6.6 km. */
static const float SHAPE_DELTA_STEP_WIDTHS = 0.025f;
/* How far inland of the shore the apex is. Half: arms part at the shore, and the delta is a spit.
 * Twice: most of the arms are on what was land before. */
static const float SHAPE_DELTA_INLAND = 0.35f;
/* The apex is on land that is at most so high, metres. Half: nearer to the shore where land rises.
 * Twice: arms cut through higher land, in trenches. */
static const float SHAPE_DELTA_LOW_LAND = 12.0f;
/* The search for the shore begins where level 0's target falls below this, metres. Half: shores are
 * missed where the coarse target is higher than the fine one. Twice: longer searches, same deltas.
 */
static const float SHAPE_DELTA_SHORE_MOST = 200.0f;
/* The deepest target that a delta may reach into, metres. Half: fewer deltas, on shelves alone.
 * Twice: deltas stand on slopes of the deep sea, with steep fronts. */
static const float SHAPE_DELTA_SEA_MOST = -150.0f;
/* From a tip to where its bed meets the sea's. Half: beds drop twice as steeply behind the mouth.
 * Twice: a channel leads far out to sea, and fewer deltas have room. */
static const float SHAPE_DELTA_TOE = 0.2f;
/* The bed there, metres. Half: deltas are built in seas of 4 m, which streams of finer levels make
 * land of. Twice: none in seas of less than 16 m. */
static const float SHAPE_DELTA_TOE_BED = -8.0f;
/* The share of the arms that have room which are there. Half: most deltas have a single arm or
 * none, as spits. Twice (1 at the most): each has both, so that they are more alike. */
static const float SHAPE_DELTA_ARM_SHARE = 0.85f;
/* The flow of an arm, in those of its trunk, by a hash between these. The least is above what
 * streams of level 1 have that end on the arm: half of it breaks that flow grows downstream. Twice
 * both: arms as wide as the river. */
static const float SHAPE_DELTA_FLOW_LEAST = 0.27f, SHAPE_DELTA_FLOW_MOST = 0.5f;
/* The fall from the apex to the tip, metres a metre, and the most that the apex may lie at, in
 * heights of the trunk's bed where its delta begins. Half: water that nearly stands. Twice: the
 * apex is a metre or two higher, and so is the land around it. */
static const float SHAPE_DELTA_FALL = 4e-5f, SHAPE_DELTA_APEX_MOST = 0.5f;
/* The height of the land at the line and the arms, metres. Half: bays and creeks reach into it.
 * Twice: banks as high as houses. */
static const float SHAPE_DELTA_HEIGHT = 2.5f;
/* Half the width of that land at the apex, and at a tip by a hash between these. Half: three bars
 * of land along the arms, as a bird's foot. Twice: one round lobe without bays. */
static const float SHAPE_DELTA_ROOT_HALF = 0.42f;
static const float SHAPE_DELTA_TIP_LEAST = 0.13f, SHAPE_DELTA_TIP_MOST = 0.33f;
/* The tangent of the angle between the line and an arm, by a hash. Half: 14° to 25°, arms side by
 * side. Twice: 45° to 62°, along the coast, where many find no sea. */
static const float SHAPE_DELTA_TURN_LEAST = 0.5f, SHAPE_DELTA_TURN_MOST = 0.95f;
/* The length of an arm, by a hash. Half: stumps. Twice: not allowed, as a delta's reach is counted
 * from these in margins of store.c. */
static const float SHAPE_DELTA_ARM_LEAST = 0.7f, SHAPE_DELTA_ARM_MOST = 1.0f;
/* How far an arm bends outwards in its middle, in its lengths, by a hash: inwards if below 0. Half:
 * straighter. Twice: arms curl along the coast. */
static const float SHAPE_DELTA_BEND_LEAST = -0.05f, SHAPE_DELTA_BEND_MOST = 0.16f;

/* ---- how the land rises from streams: land.c, candidates.c, envelope.c */

/* How far a segment's land reaches, in widths. Half: some places are on no stream's land, and have
 * heights of thousands of kilometres. Twice: ridges are lower by about a seventh, as land rises
 * more steeply towards its rim; up to 4 times as many segments in each leaf, and larger margins in
 * store.c. */
static const float SHAPE_LAND_WIDTHS = 1.6f;
/* Sides of valleys. Views of the finest level there is have all streams, those whose cells have 8
 * samples all that are seen; coarser ones lack those of finer levels, which would cut their sides,
 * so these are steeper near the stream and flatter far from it: then the land has the slopes that
 * it has with the streams. */
struct shape_sides {
    /* The land beside an end of a segment rises towards the target by this many widths. Half: sides
     * are 1.3 to 1.6 times as steep where streams are coarse or ground is flat, with plateaus above
     * them. Twice: 0.7 times; land between streams lies low. At zoom 14 limits below decide, and
     * nothing changes. */
    float target_widths;
    /* That slope is at least and at most so many of the slopes that the relief of the next level
     * makes. Half of the least: hardly a difference. Twice: ridges stand above plains; slopes are
     * 1.1 to 1.2 times as steep in views from afar. Half of the most: ranges are 0.7 to 0.8 times
     * as steep, and half as rough. Twice: 1.4 to 1.5 times as steep, twice as rough. */
    float least, most;
    /* Sides rise half as far so many widths from the stream as sides of one slope, at the most.
     * Half: ridges are broad and round, and slopes 0.6 to 0.7 times as steep. Twice: ridges are
     * sharp and high, slopes 1.1 times as steep, and heights of zooms differ up to twice as much.
     */
    float hollow_widths;
    /* And at the least: see SHAPE_PLATEAU_TARGET. Half: hardly a difference. Twice: hills and
     * plains are 1.05 to 1.15 times as steep, and their zooms differ up to 1.25 times as much. */
    float hollow_widths_least;
};
static const struct shape_sides SHAPE_SIDES_FINEST = {0.25f, 1.4f, 3.3f, 0.45f, 0.45f};
static const struct shape_sides SHAPE_SIDES_COARSER = {0.15f, 1.7f, 6.0f, 0.29f, 0.13f};
/* The same for views of cells that have 8 samples (SHAPE_CELL_SAMPLES_COARSE): the next closer view
 * has the same streams with sides of SHAPE_SIDES_COARSER. */
static const struct shape_sides SHAPE_SIDES_COARSEST = {0.21f, 1.4f, 4.0f, 0.42f, 0.42f};
/* Sides would in the end rise by so many heights of the target above the bed, and so many of what
 * the relief of the next level makes over a width: so land far from streams is about as high as
 * closer views show it, and not as high as the slope beside the stream would lead. Half of the
 * first: ranges of zooms 6 and 8 are 35 m lower, slopes 0.8 to 0.95 times as steep. Twice: hills
 * and plains are 1.1 to 1.25 times as steep, and their zooms differ 1.1 to 1.4 times as much. Half
 * of the second: nearly the same as of the first. Twice: slopes are up to 1.2 times as steep, and
 * zooms differ 1.05 to 1.15 times as much. */
static const float SHAPE_PLATEAU_TARGET = 0.82f, SHAPE_PLATEAU_RELIEF = 0.7f;
/* In coarse views the land rises by so many widths more for each time that cells are twice as wide
 * as 2^SHAPE_SIDES_WIDE_LOG2 metres, up to 3 times: with steep sides ridges stand above their
 * target, and where all of a range is in view one sees more snow than nearer. Half: ranges of
 * zoom 6 are 45 m higher, with wide white ridges. Twice: 80 m lower, and 0.8 times as steep. */
static const float SHAPE_SIDES_WIDE = 0.028f;
enum { SHAPE_SIDES_WIDE_LOG2 = 13 };
/* Sides may have this slope even in plains, as beds may rise by up to half of it: else the land
 * beside a valley would end above its sides, in scales. Half: such scales are seen, on sides 0.8 to
 * 0.9 times as steep. Twice: valleys in plains are 1.1 to 1.3 times as steep, as if cut. */
static const float SHAPE_SIDE_FREE = 0.2f;
/* Ridges are rounded over this height for a slope of 1, in widths, and over at most that share of
 * their rise. Half: ridges are edges; the land is 1 or 2 % steeper. Twice: twice as broad, up to 17
 * m lower in views from afar, and 3 to 5 % flatter. The share must be below 1, or the rounding
 * reaches the stream's bed. */
static const float SHAPE_RIDGE_WIDTHS = 0.05f, SHAPE_RIDGE_RISE_SHARE = 0.9f;
/* The squared distance, in squared distances between samples, up to which all floors are flat.
 * Half: a few more samples beside narrow floors are pits, where a valley runs aslant. Twice:
 * valleys are 1.4 times as broad in every picture; views from afar are 15 to 50 m lower and 7 %
 * flatter. */
static const double SHAPE_FLAT_SAMPLES = 1.7;
/* The slope of the floor across the valley, in falls of the stream. At 0, floors have single pits,
 * as a sample may lie lower than those nearer to the stream. Half: land 6 % flatter. Twice: floors
 * are troughs, and land 10 to 15 % steeper. */
static const float SHAPE_FLOOR_CROSS = 0.4f;
/* Half the width of a valley's floor: this times (flow in m²) ^ 5/16, metres. A stream that drains
 * 1000 km² has 195 m to each side. Half, twice: floors of plains are half or twice as wide, and
 * plains 10 % rougher or smoother. */
static const float SHAPE_FLOOR = 0.3f;
/* It is at most so many widths. Half: wide floors of large rivers are narrower in views from afar.
 * Twice: such floors have no sides within the land's reach. */
static const float SHAPE_FLOOR_WIDTHS = 0.4f;
/* Floors are narrower by this share where the relief is above the second of these, metres, and not
 * at all below the first. Half: valleys in ranges with flat floors of 0.6 of those in plains. Twice
 * (1 at the most): none. Half, twice the reliefs: hills are ranges in this, or high ranges plains.
 */
static const float SHAPE_FLOOR_NARROWING = 0.8f;
static const float SHAPE_FLOOR_RELIEF_LOW = 200.0f, SHAPE_FLOOR_RELIEF_HIGH = 1500.0f;

/* ---- rivers: leaf.h, candidates.c */

/* Half a river's width, metres: this times the root of the flow in m². With that, 50 m for 1000 km²
 * in a humid climate. Half, twice: half or twice as wide. */
static const float SHAPE_RIVER_HALF = 7.5e-4f;
/* A river's depth, metres: this times the fourth root of the flow in m²; 2 m for 1000 km². Half,
 * twice: half or twice as deep; only views of less than half the river's width show it. */
static const float SHAPE_RIVER_DEPTH = 0.011f;
/* A river is flat over at most so many widths to each side, as its land must end at its reach.
 * Half: wide rivers have banks that rise within them. Twice: they have none. */
static const float SHAPE_RIVER_WIDTHS = 0.8f;

/* ---- what maps show of streams: envelope.c */

/* Rivers are drawn so many times as wide as they are, less what rivers of SHAPE_DRAWN_LEAST samples
 * to each side would be: those and narrower ones are not drawn. Half: half as many rivers in a
 * picture, and thinner ones. Twice: twice as many. Half or twice of the least: the same the other
 * way. */
static const float SHAPE_DRAWN_TIMES = 5.0f, SHAPE_DRAWN_LEAST = 0.02f;
/* But at most so many samples wide to each side, if they are not wider themselves. Half: great
 * rivers are hairlines. Twice: lines of 3 samples. */
static const float SHAPE_DRAWN_HALF = 0.8f;
/* Brooks are dry below a flow of SHAPE_DRAWN_DRY / this, m², and full where it is 1 / this more.
 * Half: below 125,000 m². Twice: below 31,000 m², so that each gully has water. */
static const float SHAPE_DRAWN_WET = 8e-6f, SHAPE_DRAWN_DRY = 0.5f;
/* Valleys whose stream drains less than so many squared samples are paler in the output `valley`.
 * Half: the smallest valleys are seen more, as spots. Twice: only larger ones are. */
static const float SHAPE_VALLEY_FLOW = 1024.0f;
/* How far ridges stand above the bed for the output `valley`, in heights that sides would reach in
 * the end. Half: valleys are half as wide there. Twice: up to their ridges they are no hills. */
static const float SHAPE_VALLEY_RIDGE = 0.25f;

#endif
