--[[ HTTP and time of Luanti (Minetest) for terrane.lua. In a mod that secure.http_mods names:

    local host = dofile(path .. "/luanti.lua")(core, core.request_http_api())
    local ground = dofile(path .. "/terrane.lua").new{ url = url, size = 16, fetch = host.fetch, wait = host.wait }
    core.register_globalstep(…) -- for each player that has moved to another chunk:
    host.run(function() ground:prefetch(x, y, 4) end)

host.run(f) calls f in a coroutine, which waits for answers while the game goes on. x and y are the player's pos.x and
-pos.z, as y points south. A mapgen that runs in an environment of its own gets what prefetch() has loaded before. ]]

return function(core, http)
    local host = {}

    function host.fetch(request)
        local caller, headers = coroutine.running(), {}
        for name, value in pairs(request.headers) do headers[#headers + 1] = name .. ": " .. value end
        http.fetch({
            url = request.url, method = request.method, data = request.body, timeout = 10, extra_headers = headers,
        }, function(result)
            -- Luanti hides the headers of answers; a code of 0 is none.
            local answer = result.code ~= 0 and { status = result.code, body = result.data } or nil
            host.resume(caller, answer, "no answer")
        end)
        return coroutine.yield()
    end

    function host.wait(seconds)
        core.after(seconds, host.resume, coroutine.running())
        coroutine.yield()
    end

    function host.resume(caller, ...)
        local done, problem = coroutine.resume(caller, ...)
        if not done then error(problem, 0) end
    end

    function host.run(f) host.resume(coroutine.create(f)) end

    return host
end
