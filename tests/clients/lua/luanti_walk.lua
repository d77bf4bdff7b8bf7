--[[ The adapter of Luanti with a stand-in for Luanti: http.fetch() and core.after() call back from a loop, and answers have
no headers, as lua_api.md of Luanti describes. lua luanti_walk.lua URL WALKERS: so many walk at once. ]]

local folder = arg[0]:match("^.*/") .. "../../../server/clients/lua/"
package.path = folder .. "?.lua;" .. package.path
local socket_fetch = dofile(folder .. "luasocket_fetch.lua")
local sleep = require("socket").sleep

local events, last = {}, 0
local core = { after = function(seconds, f, ...) events[#events + 1] = { seconds = seconds, f = f, arguments = { ... } } end }
local http = { fetch = function(request, callback)
    local headers = {}
    for _, line in ipairs(request.extra_headers) do
        local name, value = line:match("^(.-): (.*)$")
        headers[name] = value
    end
    events[#events + 1] = { seconds = 0, arguments = {}, f = function()
        local answer = socket_fetch({ url = request.url, method = request.method, body = request.data, headers = headers })
        callback({ completed = true, succeeded = answer ~= nil, code = answer and answer.status or 0, data = answer and answer.body or "" })
    end }
end }

local host = dofile(folder .. "luanti.lua")(core, http)
local ground = require("terrane").new({ url = arg[1], fetch = host.fetch, wait = host.wait })
for walker = 1, tonumber(arg[2]) do
    host.run(function()
        for step = 0, 4 do
            local x, y = 100 * walker + 10 * step, -50.5
            local done, problem = ground:prefetch(x, y, 1)
            print(string.format("at %.17g %.17g: %.17g", x, y, done and ground:height(x, y) or error(problem)))
        end
        local changed = ground:refresh(0, walker)
        last = last + (changed and 1 or 0)
    end)
end
while #events > 0 do
    local event = table.remove(events, 1)
    sleep(event.seconds)
    event.f((table.unpack or unpack)(event.arguments))
end
print(last .. " refreshed, " .. ground.counts.requests .. " requests, " .. ground.counts.retries .. " retries")
