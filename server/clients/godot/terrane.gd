# Terrane's chunks for Godot 3, written so that Godot 4 needs the changes listed below and no others.
#
#     var terrane = preload("terrane.gd").new("http://127.0.0.1:8080", {"world": "terra", "size": 64})
#     var chunk = terrane.chunk(3, -2)      # null: terrane.problem says why
#     chunk.heights[row * 65 + column]      # metres, rows from north to south
#     terrane.prefetch(x, y, 2)             # the chunks around a place that are not in memory, in one batch
#     terrane.height(x, y)                  # metres at a place, linear between vertices
#
# Calls wait for the daemon: make them in a Thread, all of one object in the same. Chunk (cx, cy) has (size + 1)² heights
# from (cx · size · step, cy · size · step); x points east and y SOUTH: in Godot Vector3(x, height, y). Its last row and
# column are its neighbours' first. `heights` is the map_data of a HeightMapShape with a width and depth of size + 1,
# whose centre is the chunk's. What comes is checked by CRC-32. What fails for now (503, 429, no answer) is asked for
# again for `patience` seconds, after the seconds that Retry-After says.
#
# Godot 4: Reference is RefCounted; PoolByteArray, PoolStringArray and PoolRealArray are PackedByteArray,
# PackedStringArray and PackedFloat32Array, and bytes.to_float32_array() replaces floats_of(); JSON.parse(text).result is
# JSON.parse_string(text) and JSON.print() JSON.stringify(); OS.get_ticks_msec() is Time.get_ticks_msec(). Three lines say
# it themselves.
extends Reference

const BATCH_MAX = 256
const RECORD_HEADER = 32
const PAUSE = 0.5 # seconds until the next try, unless the daemon says how long
const METHODS = {"GET": HTTPClient.METHOD_GET, "POST": HTTPClient.METHOD_POST}

var problem = "" # of the last call that failed
var counts = {"requests": 0, "retries": 0, "unchanged": 0, "received": 0, "evicted": 0}
var settings = {
	"world": "", "size": 64, "step": 1, "layer": "height", "capacity": 256, # chunks in memory
	"timeout": 10.0, "patience": 30.0, # seconds
}
var chunks = {} # by "cx,cy": the one used longest ago comes first
var columns
var host
var port
var base
var client = HTTPClient.new()
var crc_table = []
var fits = 0 # chunks that a request refused with 413 might have had


func _init(url, options = {}):
	for name in options:
		assert(settings.has(name))
		settings[name] = options[name]
	columns = settings.size + 1
	var parts = url.trim_prefix("http://").split("/", true, 1)
	var address = parts[0].split(":")
	host = address[0]
	port = int(address[1]) if address.size() > 1 else 80
	base = ("/" + parts[1] if parts.size() > 1 and parts[1] != "" else "")
	if settings.world != "":
		base += "/worlds/" + settings.world
	client.read_chunk_size = 65536
	for i in range(256):
		var crc = i
		for _bit in range(8):
			crc = (crc >> 1) ^ 0xEDB88320 if crc & 1 else crc >> 1
		crc_table.append(crc)


# The chunk, from memory or loaded: {"cx", "cy", "heights", "tag"}. Null with a problem beyond the edge of the world.
func chunk(cx, cy):
	var found = kept(cx, cy)
	if found == null and load_chunks([[cx, cy]]):
		found = kept(cx, cy)
		if found == null:
			problem = "there is no chunk %d %d" % [cx, cy]
	return found


# Brings the chunk of the place x, y and `rings` rings around it into memory.
func prefetch(x, y, rings):
	var side = settings.size * settings.step
	var missing = []
	if (2 * rings + 1) * (2 * rings + 1) > settings.capacity:
		problem = "%d rings are more chunks than there is room for, %d" % [rings, settings.capacity]
		return false
	var west = int(floor(x / side)) - rings
	var north = int(floor(y / side)) - rings
	for cy in range(north, north + 2 * rings + 1):
		for cx in range(west, west + 2 * rings + 1):
			if kept(cx, cy) == null:
				missing.append([cx, cy])
	return load_chunks(missing)


# Metres at a place, bilinear between the four vertices around it; null with a problem.
func height(x, y):
	var side = settings.size * settings.step
	var cx = int(floor(x / side))
	var cy = int(floor(y / side))
	var found = chunk(cx, cy)
	if found == null:
		return null
	var u = (x - cx * side) / float(settings.step)
	var v = (y - cy * side) / float(settings.step)
	var at = int(v) * columns + int(u)
	var north = lerp(found.heights[at], found.heights[at + 1], u - int(u))
	var south = lerp(found.heights[at + columns], found.heights[at + columns + 1], u - int(u))
	return lerp(north, south, v - int(v))


# Asks by its entity tag whether a chunk has changed: true if it had, or was not in memory, and is loaded now; false if
# not; null with a problem.
func refresh(cx, cy):
	var before = kept(cx, cy)
	var headers = []
	if before != null and before.tag != "":
		headers.append("If-None-Match: " + before.tag)
	var path = "/chunks/%d/%d.r32f?size=%d&step=%s&layers=%s" % [cx, cy, settings.size, settings.step, settings.layer]
	var answer = ask("GET", path, "", headers)
	if answer == null:
		return null
	if answer.status == 304:
		counts.unchanged += 1
		return false
	if answer.body.size() != 4 * columns * columns:
		return failed("%s: %d bytes" % [path, answer.body.size()])
	var after = keep(cx, cy, answer.body, answer.headers.get("etag", ""))
	return before == null or before.heights != after.heights


# The digests of chunks, [[cx, cy], …], null beyond the edge of the world. With `against`, another world's name with its
# pin, {"digests", "changed"} says which of them differ there. At most 256 at once.
func digests(places, against = ""):
	var order = {"size": settings.size, "step": settings.step, "layers": [settings.layer], "chunks": places}
	if against != "":
		order["against"] = against
	var answer = ask("POST", "/digests", JSON.print(order))
	if answer == null:
		return null
	var found = JSON.parse(answer.body.get_string_from_utf8()).result
	return found.digests if against == "" else found


# Loads chunks in as few batches as they need. False with a problem.
func load_chunks(places):
	var most = BATCH_MAX
	var end = OS.get_ticks_msec() + 1000 * settings.patience
	while places.size() > 0:
		var part = places.slice(0, int(min(places.size(), most)) - 1) # Godot 4: without the -1
		var order = {"format": "r32f", "size": settings.size, "step": settings.step, "layers": [settings.layer], "chunks": part}
		var answer = ask("POST", "/chunks", JSON.print(order))
		if answer == null:
			if fits < 1 or fits >= part.size():
				return false
			most = fits
			continue
		var later = take(answer.body, part)
		if later == null:
			return false
		if later.size() > 0:
			if OS.get_ticks_msec() > end:
				problem = "the daemon has no room for chunks"
				return false
			pause(PAUSE)
		for i in range(part.size(), places.size()):
			later.append(places[i])
		places = later
	return true


# Keeps the chunks of a batch, and returns those that the daemon had no room for, or that are beyond what one client may
# have; null with a problem.
func take(bytes, places):
	var later = []
	var at = 0
	var reader = StreamPeerBuffer.new()
	reader.data_array = bytes
	for place in places:
		var what = "a batch's chunk %d %d" % place
		if bytes.size() < at + RECORD_HEADER:
			return failed(what + " is missing, or is not of version 1")
		reader.seek(at)
		if reader.get_u32() != 0x434E5254 or reader.get_u16() != 1:
			return failed(what + " is missing, or is not of version 1")
		var status = reader.get_u16()
		if reader.get_64() != place[0] or reader.get_64() != place[1]:
			return failed(what + " is another one")
		var length = reader.get_u32()
		var crc = reader.get_u32()
		if length != (4 * columns * columns if status == 200 else 0) or bytes.size() < at + RECORD_HEADER + length:
			return failed("%s has %d bytes" % [what, length])
		if not status in [200, 404, 429, 503]:
			return failed("%s: %d" % [what, status])
		at += RECORD_HEADER + length
		if status in [429, 503]:
			later.append(place)
		if length == 0:
			continue
		var payload = bytes.subarray(at - length, at - 1) # Godot 4: bytes.slice(at - length, at)
		if crc32(payload) != crc:
			return failed(what + " is damaged")
		keep(place[0], place[1], payload, "")
	if at != bytes.size():
		return failed("a batch is too long")
	return later


# The chunk from memory, or null.
func kept(cx, cy):
	var key = "%d,%d" % [cx, cy]
	if not chunks.has(key):
		return null
	var found = chunks[key]
	chunks.erase(key)
	chunks[key] = found
	return found


func keep(cx, cy, bytes, tag):
	var key = "%d,%d" % [cx, cy]
	chunks.erase(key)
	chunks[key] = {"cx": cx, "cy": cy, "heights": floats_of(bytes), "tag": tag}
	counts.received += 1
	if chunks.size() > settings.capacity:
		chunks.erase(chunks.keys()[0])
		counts.evicted += 1
	return chunks[key]


# {"status", "headers", "body"} of an answer with 200 or 304; null with a problem. Header names are in small letters.
func ask(method, path, body = "", headers = []):
	var end = OS.get_ticks_msec() + 1000 * settings.patience
	fits = 0
	while true:
		counts.requests += 1
		var answer = ask_once(method, base + path, body, headers)
		if answer.status == 200 or answer.status == 304:
			return answer
		var pause = float(answer.headers.get("retry-after", PAUSE))
		if not answer.status in [0, 429, 503] or OS.get_ticks_msec() + 1000 * pause > end:
			var text = answer.body.get_string_from_utf8()
			var parsed = JSON.parse(text).result
			if parsed is Dictionary:
				text = parsed.get("detail", text)
				fits = int(parsed.get("fits", 0))
			return failed("%s http://%s:%d%s: %d: %s" % [method, host, port, base + path, answer.status, text])
		counts.retries += 1
		pause(pause)
	return null


# The status is 0 if there is no answer; the body says why.
func ask_once(method, path, body, headers):
	var end = OS.get_ticks_msec() + int(1000 * settings.timeout)
	var lines = PoolStringArray(headers)
	if client.get_status() != HTTPClient.STATUS_CONNECTED:
		client.close()
		client.connect_to_host(host, port)
		if not wait_while([HTTPClient.STATUS_CONNECTING, HTTPClient.STATUS_RESOLVING], end) or client.get_status() != HTTPClient.STATUS_CONNECTED:
			return no_answer("no connection")
	if client.request(METHODS[method], path, lines, body) != OK:
		return no_answer("the request cannot be sent")
	if not wait_while([HTTPClient.STATUS_REQUESTING], end) or not client.has_response():
		return no_answer("no answer")
	var answer = {"status": client.get_response_code(), "headers": {}}
	var bytes = PoolByteArray()
	var named = client.get_response_headers_as_dictionary()
	for name in named:
		answer.headers[name.to_lower()] = named[name]
	if answer.status == 304: # without a body, for which HTTPClient would wait
		client.close()
	var length = client.get_response_body_length()
	while client.get_status() == HTTPClient.STATUS_BODY:
		client.poll()
		var part = client.read_response_body_chunk()
		bytes.append_array(part)
		if part.size() == 0:
			if OS.get_ticks_msec() > end:
				return no_answer("no answer in time")
			OS.delay_msec(1)
	if answer.status != 304 and length >= 0 and bytes.size() != length:
		return no_answer("the answer breaks off")
	answer.body = bytes
	return answer


func no_answer(why):
	client.close()
	return {"status": 0, "headers": {}, "body": why.to_utf8()} # Godot 4: to_utf8_buffer()


# Polls while the status is one of these; false after the time.
func wait_while(statuses, end):
	while client.get_status() in statuses:
		client.poll()
		if OS.get_ticks_msec() > end:
			return false
		OS.delay_msec(1)
	return true


func pause(seconds):
	OS.delay_msec(int(1000 * seconds))


func failed(text):
	problem = text
	return null


func floats_of(bytes):
	var reader = StreamPeerBuffer.new()
	var floats = PoolRealArray()
	reader.data_array = bytes
	floats.resize(bytes.size() / 4)
	for i in range(floats.size()):
		floats[i] = reader.get_float()
	return floats


# As in RFC 1952.
func crc32(bytes):
	var crc = 0xFFFFFFFF
	for byte in bytes:
		crc = (crc >> 8) ^ crc_table[(crc ^ byte) & 255]
	return crc ^ 0xFFFFFFFF
