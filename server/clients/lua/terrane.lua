--[[ Terrane's chunks for Lua 5.1 to 5.4 and LuaJIT: one file, without dependencies. The host gives HTTP.

    local terrane = require("terrane").new{
        url = "http://127.0.0.1:8080", world = "terra", size = 16, step = 1,
        fetch = fetch, wait = wait,
    }
    local chunk = terrane:chunk(3, -2)
    chunk:height(5, 0)      -- metres at column 5 and row 0, from 0 to size
    terrane:prefetch(x, y, 2) -- all chunks around a place that are not in memory, in one batch
    terrane:height(x, y)    -- metres at a place, between vertices linearly

fetch(request) sends { method, url, headers, body } and returns { status, body, headers }, or nil and a text where there
is no answer. Header names are in small letters; a host that does not show them leaves `headers` out. Then entity tags
are not used, and single chunks come as batches of one, which have a checksum. wait(seconds) passes time. Both may yield:
in Luanti, run the calls in a coroutine and resume it in the callback of http.fetch() and of core.after().

Chunks are r16, two bytes a sample: heights in eighths of a metre. Chunk (cx, cy) has (size + 1)² of them from
(cx · size · step, cy · size · step), rows from north to south, y to the SOUTH; its last row and column are its neighbours'
first. Failures are nil and a text. What fails for now (503, 429, no answer) is tried again for `patience` seconds, after
the seconds that Retry-After says. ]]

local Terrane, Chunk = {}, {}
Terrane.__index, Chunk.__index = Terrane, Chunk

local BATCH_MAX, RECORD_HEADER, PAUSE = 256, 32, 0.5
local DEFAULTS = {
    url = false, world = "", size = 16, step = 1, layer = "height", capacity = 256, patience = 30,
    fetch = false, wait = false,
}

-- Exclusive or of numbers below 2³²: an operator from Lua 5.3 on, a library in LuaJIT and 5.2, else by digits.
local function xor_by_digits(a, b)
    local result, bit = 0, 1
    while a > 0 or b > 0 do
        local x, y = a % 2, b % 2
        if x ~= y then result = result + bit end
        a, b, bit = (a - x) / 2, (b - y) / 2, bit * 2
    end
    return result
end
local compile = loadstring or load
local bits = rawget(_G, "bit") or rawget(_G, "bit32")
local operator = compile("local a, b = ... return a ~ b")
local function xor(a, b)
    if operator then return operator(a, b) end
    if bits then return bits.bxor(a, b) % 4294967296 end
    return xor_by_digits(a, b)
end

local crc_table = {}
for i = 0, 255 do
    local crc = i
    for _ = 1, 8 do
        local odd = crc % 2
        crc = (crc - odd) / 2
        if odd == 1 then crc = xor(math.floor(crc), 0xEDB88320) end
    end
    crc_table[i] = math.floor(crc)
end

-- CRC-32 as in RFC 1952.
local function crc32(text)
    local crc = 0xFFFFFFFF
    for i = 1, #text do
        local low = crc % 256
        crc = xor(math.floor((crc - low) / 256), crc_table[xor(math.floor(low), text:byte(i))])
    end
    return xor(crc, 0xFFFFFFFF)
end

-- The unsigned number of `count` bytes, low byte first, from the byte at `at` on (the first is 1).
local function number(text, at, count)
    local value = 0
    for i = at + count - 1, at, -1 do value = value * 256 + text:byte(i) end
    return value
end

-- A 64-bit index; chunks lie within ±2⁴⁴, so 53 bits are enough.
local function index(text, at)
    local high = number(text, at + 4, 4)
    if high >= 2 ^ 31 then high = high - 2 ^ 32 end
    return high * 2 ^ 32 + number(text, at, 4)
end

local function key(cx, cy) return string.format("%d,%d", cx, cy) end

-- Metres at a vertex, by its column and row from 0 to size.
function Chunk:height(column, row)
    return number(self.bytes, 2 * (row * self.columns + column) + 1, 2) / 8 - 4096
end

function Terrane.new(options)
    local self = { chunks = {}, count = 0, clock = 0 }
    for name in pairs(options) do
        if DEFAULTS[name] == nil then error("terrane: there is no option \"" .. tostring(name) .. "\"", 2) end
    end
    for name, value in pairs(DEFAULTS) do
        self[name] = options[name] ~= nil and options[name] or value
        if not self[name] then error("terrane: the option \"" .. name .. "\" is needed", 2) end
    end
    self.columns = self.size + 1
    self.base = self.url:gsub("/$", "") .. (self.world ~= "" and "/worlds/" .. self.world or "")
    self.counts = { requests = 0, retries = 0, unchanged = 0, received = 0, evicted = 0 }
    return setmetatable(self, Terrane)
end

-- The answer with one of the statuses; else nil, the error's text and how many chunks would have fitted.
function Terrane:ask(method, path, body, headers)
    local waited = 0
    while true do
        self.counts.requests = self.counts.requests + 1
        local answer, reason = self.fetch({ method = method, url = self.base .. path, body = body, headers = headers or {} })
        local status = answer and answer.status or 0
        if status == 200 or status == 304 then return answer end
        local text = answer and answer.body or reason or ""
        local pause = PAUSE
        if answer and answer.headers then pause = tonumber(answer.headers["retry-after"]) or PAUSE end
        local for_now = status == 503 or status == 429 or status == 0
        if not for_now or waited + pause > self.patience then
            local detail = text:match('"detail":"(.-[^\\])"') or text
            return nil, string.format("%s %s%s: %d: %s", method, self.base, path, status, detail), tonumber(text:match('"fits":(%d+)'))
        end
        self.counts.retries = self.counts.retries + 1
        self.wait(pause)
        waited = waited + pause
    end
end

function Terrane:keep(cx, cy, bytes, tag)
    local name = key(cx, cy)
    if not self.chunks[name] then self.count = self.count + 1 end
    self.clock = self.clock + 1
    self.chunks[name] = setmetatable({ cx = cx, cy = cy, bytes = bytes, tag = tag, used = self.clock, columns = self.columns }, Chunk)
    self.counts.received = self.counts.received + 1
    if self.count > self.capacity then
        local oldest
        for other, chunk in pairs(self.chunks) do
            if not oldest or chunk.used < self.chunks[oldest].used then oldest = other end
        end
        self.chunks[oldest] = nil
        self.count = self.count - 1
        self.counts.evicted = self.counts.evicted + 1
    end
    return self.chunks[name]
end

-- The chunk from memory, or nil.
function Terrane:kept(cx, cy)
    local chunk = self.chunks[key(cx, cy)]
    if chunk then
        self.clock = self.clock + 1
        chunk.used = self.clock
    end
    return chunk
end

-- Reads the record of a batch at `at`: its status, payload and the place behind it; or nil and what is wrong.
function Terrane:record(bytes, at, place)
    local what = string.format("a batch's chunk %d %d", place[1], place[2])
    if #bytes < at + RECORD_HEADER - 1 or bytes:sub(at, at + 3) ~= "TRNC" or number(bytes, at + 4, 2) ~= 1 then
        return nil, what .. " is missing, or is not of version 1"
    end
    local status, length = number(bytes, at + 6, 2), number(bytes, at + 24, 4)
    if index(bytes, at + 8) ~= place[1] or index(bytes, at + 16) ~= place[2] then return nil, what .. " is another one" end
    local payload = bytes:sub(at + RECORD_HEADER, at + RECORD_HEADER + length - 1)
    if length ~= (status == 200 and 2 * self.columns ^ 2 or 0) or #payload ~= length then
        return nil, string.format("%s has %d bytes", what, length)
    end
    if not (status == 200 or status == 404 or status == 503 or status == 429) then return nil, what .. ": " .. status end
    if crc32(payload) ~= number(bytes, at + 28, 4) then return nil, what .. " is damaged" end
    return status, payload, at + RECORD_HEADER + length
end

-- Keeps the chunks of a batch. Those that the daemon had no room for, or that are beyond what one client may have, go into
-- `later`. True, or nil and what is wrong.
function Terrane:take(bytes, places, later)
    local at = 1
    for _, place in ipairs(places) do
        local status, payload, next_at = self:record(bytes, at, place)
        if not status then return nil, payload end
        at = next_at
        if status == 200 then self:keep(place[1], place[2], payload) end
        if status == 503 or status == 429 then later[#later + 1] = place end
    end
    if at ~= #bytes + 1 then return nil, "a batch is too long" end
    return true
end

-- Loads chunks, { { cx, cy }, … }, in as few batches as they need. True, or nil and what is wrong.
function Terrane:load(places)
    local most, waited = BATCH_MAX, 0
    while #places > 0 do
        local part, later, list = {}, {}, {}
        for i = 1, math.min(#places, most) do
            part[i], list[i] = places[i], string.format("[%d,%d]", places[i][1], places[i][2])
        end
        for i = #part + 1, #places do later[#later + 1] = places[i] end
        local left = #later
        local answer, problem, fits = self:ask("POST", "/chunks", string.format(
            '{"format":"r16","size":%d,"step":%s,"layers":["%s"],"chunks":[%s]}', self.size, self.step, self.layer, table.concat(list, ",")))
        if answer then
            local done, reason = self:take(answer.body, part, later)
            if not done then return nil, reason end
            if #later > left then
                if waited >= self.patience then return nil, "the daemon has no room for chunks" end
                self.wait(PAUSE)
                waited = waited + PAUSE
            end
            places = later
        elseif fits and fits > 0 and fits < #part then
            most = fits
        else
            return nil, problem
        end
    end
    return true
end

-- The chunk, from memory or loaded; nil and a text for one beyond the edge of the world.
function Terrane:chunk(cx, cy)
    if self:kept(cx, cy) then return self:kept(cx, cy) end
    local done, problem = self:load({ { cx, cy } })
    return self:kept(cx, cy), problem or done and "there is no such chunk"
end

-- Brings the chunk of the place x, y and `rings` rings around it into memory. True, or nil and a text.
function Terrane:prefetch(x, y, rings)
    local side, missing = self.size * self.step, {}
    if (2 * rings + 1) ^ 2 > self.capacity then
        return nil, string.format("%d rings are more chunks than there is room for, %d", rings, self.capacity)
    end
    for cy = math.floor(y / side) - rings, math.floor(y / side) + rings do
        for cx = math.floor(x / side) - rings, math.floor(x / side) + rings do
            if not self:kept(cx, cy) then missing[#missing + 1] = { cx, cy } end
        end
    end
    return self:load(missing)
end

-- Metres at a place, bilinear between the four vertices around it.
function Terrane:height(x, y)
    local side = self.size * self.step
    local cx, cy = math.floor(x / side), math.floor(y / side)
    local chunk, problem = self:chunk(cx, cy)
    if not chunk then return nil, problem end
    local u, v = (x - cx * side) / self.step, (y - cy * side) / self.step
    local i, j = math.floor(u), math.floor(v)
    local function row(at)
        local west = chunk:height(i, at)
        return west + (u - i) * (chunk:height(i + 1, at) - west)
    end
    return row(j) + (v - j) * (row(j + 1) - row(j))
end

-- Asks whether a chunk has changed, by its entity tag: true if it had, or was not in memory, and is loaded now; false if
-- not; nil and a text on failure.
function Terrane:refresh(cx, cy)
    local chunk = self:kept(cx, cy)
    local path = string.format("/chunks/%d/%d.r16?size=%d&step=%s&layers=%s", cx, cy, self.size, self.step, self.layer)
    local answer, problem = self:ask("GET", path, nil, chunk and chunk.tag and { ["If-None-Match"] = chunk.tag })
    if not answer then return nil, problem end
    if answer.status == 304 then
        self.counts.unchanged = self.counts.unchanged + 1
        return false
    end
    if #answer.body ~= 2 * self.columns ^ 2 then return nil, string.format("%s: %d bytes", path, #answer.body) end
    local changed = not chunk or chunk.bytes ~= answer.body
    self:keep(cx, cy, answer.body, answer.headers and answer.headers.etag)
    return changed
end

-- The digests of chunks, { { cx, cy }, … }, false beyond the edge of the world; and with `against`, another world's name
-- with its pin, in a second list which of them differ there. They are of r32f's samples.
function Terrane:digests(places, against)
    local digests, changed = {}, {}
    for first = 1, #places, BATCH_MAX do
        local list = {}
        for i = first, math.min(#places, first + BATCH_MAX - 1) do list[#list + 1] = string.format("[%d,%d]", places[i][1], places[i][2]) end
        local answer, problem = self:ask("POST", "/digests", string.format('{"size":%d,"step":%s,"layers":["%s"],%s"chunks":[%s]}',
            self.size, self.step, self.layer, against and '"against":"' .. against .. '",' or "", table.concat(list, ",")))
        if not answer then return nil, problem end
        for item in answer.body:match('"digests":%[(.-)%]'):gmatch("[^,]+") do digests[#digests + 1] = item:match("%x%x+") or false end
        for item in (answer.body:match('"changed":%[(.-)%]') or ""):gmatch("[^,]+") do changed[#changed + 1] = item == "true" end
    end
    return digests, against and changed
end

return { new = Terrane.new, crc32 = crc32 }
