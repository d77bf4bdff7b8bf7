-- fetch() of terrane.lua by LuaSocket.
local http = require("socket.http")
local ltn12 = require("ltn12")

return function(request)
    local parts, headers = {}, { ["Content-Length"] = #(request.body or ""), ["TE"] = "" }
    for name, value in pairs(request.headers) do headers[name] = value end
    local done, status, answered = http.request({
        url = request.url, method = request.method, headers = headers,
        source = request.body and ltn12.source.string(request.body), sink = ltn12.sink.table(parts),
    })
    if not done then return nil, status end
    return { status = status, headers = answered, body = table.concat(parts) }
end
