--[[ Walks over a world and prints the heights: lua walk.lua URL METRES RINGS SIZE [CAPACITY]. HTTP by LuaSocket.

Commands on standard input, a line each, are for tests: "refresh CX CY", "digests CX CY" and "changed CX CY WORLD". ]]

local folder = arg[0]:match("^.*/") .. "../../../server/clients/lua/"
package.path = folder .. "?.lua;" .. package.path
local terrane = require("terrane")
local fetch = dofile(folder .. "luasocket_fetch.lua")
local sleep = require("socket").sleep

local url, metres, rings, size, capacity = arg[1], tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4]), tonumber(arg[5] or 256)
local ground = terrane.new({ url = url, size = size, capacity = capacity, fetch = fetch, wait = sleep, patience = tonumber(arg[6] or 30) })

local function must(result, problem)
    if result == nil then
        io.stderr:write("walk: ", problem, "\n")
        os.exit(1)
    end
    return result
end

for i = 0, metres / 4 - 1 do
    local x, y = -100 + 3.25 * i, 50 + 2.5 * i
    must(ground:prefetch(x, y, rings))
    print(string.format("at %.17g %.17g: %.17g", x, y, must(ground:height(x, y))))
end
for line in io.lines() do
    local word, cx, cy, against = line:match("(%a+) (-?%d+) (-?%d+) ?(.*)")
    local place = { tonumber(cx), tonumber(cy) }
    local commands = {
        refresh = function() return must(ground:refresh(place[1], place[2])) end,
        digests = function() return must(ground:digests({ place }))[1] end,
        changed = function() return select(2, ground:digests({ place }, against))[1] end,
    }
    print(line .. ": " .. tostring(commands[word]()))
end
local counts = ground.counts
print(string.format("%d requests, %d retries, %d unchanged, %d chunks, %d evicted", counts.requests, counts.retries, counts.unchanged, counts.received, counts.evicted))
