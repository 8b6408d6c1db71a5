-- SPDX-FileCopyrightText: The phasebench authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Wireshark dissector for the captures of 'phasebench run --pcap': link type USER0 (147), a head of 64 bytes and the bytes as
-- they were seen on the link. Layout, fields and examples: docs/use/pcap.md. The codecs: docs/node.md.

local HEAD_VERSION, HEAD_BYTES, NONE = 1, 64, 0xffffffff
local SLOT, STARC, BARE = 0, 1, 2
local STARC_MARK = 0xAA

local proto = Proto("phasebench", "phasebench slot frame")

-- ---- preferences

local AUTO, AS_SLOT, AS_STARC, AS_BARE, DIMS_MAX = 0, 1, 2, 3, 16
proto.prefs.codec = Pref.enum("Codec", AUTO, "How the bytes of a frame are read",
    {{1, "as the capture says", AUTO}, {2, "slot frame", AS_SLOT}, {3, "StarC frame", AS_STARC}, {4, "bare frame", AS_BARE}}, false)
proto.prefs.dims = Pref.uint("Dimensions of the cube", 0, "1 to 16; 0: as the capture says")

-- ---- fields

local codecs = {[SLOT] = "slot frame", [STARC] = "StarC frame", [BARE] = "bare frame"}
local correctness = {[0] = "wrong", [1] = "correct"}
local field = {}
local function add(name, make, ...)
    field[name] = make("phasebench." .. name, ...)
end
local U8, U16, U32, U64 = ProtoField.uint8, ProtoField.uint16, ProtoField.uint32, ProtoField.uint64
local BOOL, TEXT = ProtoField.bool, ProtoField.string
add("version", U8, "Version of the head")
add("head_length", U8, "Length of the head", base.DEC)
add("codec", U8, "Codec", base.DEC, codecs)
add("dims", U8, "Dimensions of the cube (0: another network)", base.DEC)
add("flags", U16, "Flags", base.HEX)
add("expected", BOOL, "A frame was expected", 16, nil, 0x001)
add("correct", BOOL, "It is the expected one, in time", 16, nil, 0x002)
add("framing_error", BOOL, "A byte without a valid stop bit", 16, nil, 0x004)
add("cut", BOOL, "Cut by an edge of TDMA_CLK", 16, nil, 0x008)
add("by_bench", BOOL, "Sent by the bench", 16, nil, 0x010)
add("finding", BOOL, "A finding names it", 16, nil, 0x020)
add("collision", BOOL, "Bench and node sent at once", 16, nil, 0x040)
add("by_bytes", BOOL, "Bytes were captured, not edges", 16, nil, 0x080)
add("opportunistic", BOOL, "Opportunistic routing", 16, nil, 0x100)
add("link", U16, "Link", base.DEC)
add("dimension", U16, "Dimension", base.DEC)
add("phase", U16, "Phase", base.DEC)
add("superframe", U32, "Superframe", base.DEC)
add("phases", U16, "Phases of a superframe", base.DEC)
add("frame_bytes", U16, "Bytes of a frame of this run", base.DEC)
add("sender", U32, "Sender", base.HEX)
add("receiver", U32, "Receiver", base.HEX)
add("source", U32, "Source of the message", base.HEX)
add("message", U64, "Message", base.DEC)
add("start_ps", ProtoField.int64, "Line first low, ps from the phase edge", base.DEC)
add("end_ps", ProtoField.int64, "Line last low, ps from the phase edge", base.DEC)
add("bytes_seen", U32, "Bytes seen", base.DEC)
add("bad_stop", U16, "First byte without a valid stop bit", base.DEC)
add("mark", U8, "Mark", base.HEX)
add("length", U8, "Length field", base.DEC)
add("destination", U16, "Destination", base.HEX)
add("sequence", U8, "Sequence", base.DEC)
add("payload", ProtoField.bytes, "Payload")
add("crc", U16, "CRC", base.HEX)
add("crc_expected", U16, "CRC of the bytes as seen", base.HEX)
add("crc_status", U8, "CRC status", base.DEC, correctness)
add("frame", ProtoField.bytes, "Bytes on the link")
add("hop", U8, "Hop", base.DEC)
add("hops", U8, "Hops of the e-cube route", base.DEC)
add("hops_left", U8, "Hops left after this one", base.DEC)
add("hop_known_by", TEXT, "Hop known by")
local fields = {}
for _, one in pairs(field) do fields[#fields + 1] = one end
proto.fields = fields

local expert = {
    short_head = ProtoExpert.new("phasebench.short_head", "shorter than the head", expert.group.MALFORMED, expert.severity.ERROR),
    version = ProtoExpert.new("phasebench.unknown_version", "unknown version of the head", expert.group.UNDECODED,
        expert.severity.WARN),
    crc = ProtoExpert.new("phasebench.bad_crc", "wrong CRC", expert.group.CHECKSUM, expert.severity.ERROR),
    length = ProtoExpert.new("phasebench.bad_length", "wrong length", expert.group.MALFORMED, expert.severity.ERROR),
    mark = ProtoExpert.new("phasebench.bad_mark", "wrong mark", expert.group.MALFORMED, expert.severity.ERROR),
    named = ProtoExpert.new("phasebench.named", "a finding names this transmission", expert.group.PROTOCOL, expert.severity.WARN),
    unexpected = ProtoExpert.new("phasebench.unexpected", "no frame was expected", expert.group.PROTOCOL, expert.severity.WARN),
    framing = ProtoExpert.new("phasebench.framing", "framing error", expert.group.MALFORMED, expert.severity.ERROR),
    cut = ProtoExpert.new("phasebench.was_cut", "cut by an edge of TDMA_CLK", expert.group.SEQUENCE, expert.severity.NOTE),
    route = ProtoExpert.new("phasebench.off_route", "not on the e-cube route", expert.group.PROTOCOL, expert.severity.WARN),
}
local experts = {}
for _, one in pairs(expert) do experts[#experts + 1] = one end
proto.experts = experts

-- ---- arithmetic; Lua 5.2 to 5.4, without a bit library

local function bit_of(value, at) return math.floor(value / 2 ^ at) % 2 end

-- The set bits of left XOR right below `limit`, and the lowest one (nil: none).
local function differing(left, right, limit)
    local count, lowest = 0, nil
    for at = 0, limit - 1 do
        if bit_of(left, at) ~= bit_of(right, at) then
            count = count + 1
            lowest = lowest or at
        end
    end
    return count, lowest
end

local function xor(left, right)
    local result, weight = 0, 1
    while left > 0 or right > 0 do
        if left % 2 ~= right % 2 then result = result + weight end
        left, right, weight = math.floor(left / 2), math.floor(right / 2), weight * 2
    end
    return result
end

-- Most significant bit first, not reflected, no final XOR.
local function crc(bytes, from, count, width, polynomial, value)
    local top, modulus = 2 ^ (width - 1), 2 ^ width
    for i = from, from + count - 1 do
        value = xor(value, bytes:get_index(i) * 2 ^ (width - 8))
        for _ = 1, 8 do
            local out = value >= top
            value = value * 2 % modulus
            if out then value = xor(value, polynomial) end
        end
    end
    return math.floor(value)
end

-- ---- the frame

local function address(value) return string.format("0x%X", value) end

local function flag(tree, what, text)
    if text then tree:add_proto_expert_info(what, text) else tree:add_proto_expert_info(what) end
end

local function show_crc(tree, buffer, at, width, seen, computed, column)
    local good = seen == computed
    local digits = "0x%0" .. math.floor(width / 4) .. "X"
    local item = tree:add(field.crc, buffer(at, width / 8), seen)
    tree:add(field.crc_status, buffer(at, width / 8), good and 1 or 0):set_generated()
    if good then
        column[#column + 1] = string.format("CRC " .. digits .. " correct", seen)
    else
        item:append_text(string.format(" [wrong, expected " .. digits .. "]", computed))
        tree:add(field.crc_expected, buffer(at, width / 8), computed):set_generated()
        flag(item, expert.crc, string.format("CRC " .. digits .. " is wrong: these bytes have " .. digits, seen, computed))
        column[#column + 1] = string.format("CRC " .. digits .. " WRONG, expected " .. digits, seen, computed)
    end
    return good
end

-- Shows the payload, between `first` and `last` bytes. Returns the place of the CRC: where a frame of this run has it, whatever
-- follows; nil: the frame ends before its CRC does.
local function take_payload(tree, buffer, head, first, last, column)
    local count, seen, due = buffer:len(), head.bytes_seen, head.frame_bytes
    if seen ~= due then
        flag(tree, expert.length, string.format("%d bytes, a frame of this run has %d", seen, due))
        column[#column + 1] = string.format("%d of %d bytes", seen, due)
    end
    local whole = count >= due and due >= first + last
    local payload = whole and due - first - last or count - first
    if payload > 0 then tree:add(field.payload, buffer(first, payload)) end
    if not whole then return nil end
    column[#column + 1] = payload .. " bytes"
    return first + payload
end

-- The first two codecs return the destination of a frame whose CRC is correct; a bare frame names none.
local function take_slot(tree, buffer, head, column)
    local count = buffer:len()
    local destination, sequence, good
    if count >= 2 then
        local low, high = buffer(0, 1):uint(), buffer(1, 1):uint()
        destination, sequence = low + high % 16 * 256, math.floor(high / 16)
        tree:add(field.destination, buffer(0, 2), destination)
        tree:add(field.sequence, buffer(1, 1), sequence)
        column[#column + 1] = "to " .. address(destination) .. " seq " .. sequence
    end
    local at = take_payload(tree, buffer, head, 2, 1, column)
    if at then
        good = show_crc(tree, buffer, at, 8, buffer(at, 1):uint(), crc(buffer:bytes(), 0, at, 8, 0x07, 0), column)
    end
    return good and destination
end

local function take_starc(tree, buffer, head, column)
    local count = buffer:len()
    local destination, told, good
    if count >= 1 then
        local mark = buffer(0, 1):uint()
        local item = tree:add(field.mark, buffer(0, 1))
        if mark ~= STARC_MARK then flag(item, expert.mark, string.format("mark 0x%02X, a StarC frame begins with 0xAA", mark)) end
    end
    if count >= 3 then
        local sequence = buffer(1, 1):uint() % 16
        tree:add(field.sequence, buffer(1, 1), sequence)
        told = buffer(2, 1):uint()
        local item = tree:add(field.length, buffer(2, 1))
        if told + 5 ~= head.frame_bytes then
            flag(item, expert.length, string.format("length field %d, in this run it is %d", told, head.frame_bytes - 5))
        end
        if count >= 5 then
            destination = buffer(3, 2):le_uint()
            tree:add(field.destination, buffer(3, 2), destination)
            column[#column + 1] = "to " .. address(destination) .. " seq " .. sequence
        end
    end
    local at = take_payload(tree, buffer, head, 5, 2, column)
    if at then
        good = show_crc(tree, buffer, at, 16, buffer(at, 2):uint(), crc(buffer:bytes(), 1, at - 1, 16, 0x1021, 0xffff), column)
    end
    return good and destination
end

local function take_bare(tree, buffer, head, column)
    local at = take_payload(tree, buffer, head, 0, 1, column)
    if at then show_crc(tree, buffer, at, 8, buffer(at, 1):uint(), crc(buffer:bytes(), 0, at, 8, 0x07, 0), column) end
end

-- ---- the route

-- Which hop of the e-cube route from source to destination this crossing is. The source comes from the schedule of the run, which
-- the head repeats; without it only the rest of the route is known, by sender and destination. Of a frame with an invalid CRC nothing is known.
local function take_route(tree, head, destination, column)
    if head.dims < 1 or head.opportunistic or not destination or destination >= 2 ^ head.dims or head.sender >= 2 ^ head.dims then
        return
    end
    local left, due = differing(head.sender, destination, head.dims)
    if due ~= head.dimension then
        local route = due and "e-cube leaves " .. address(head.sender) .. " for " .. address(destination) .. " on dimension " .. due
            or address(head.sender) .. " is the destination"
        flag(tree, expert.route, route .. ", this is dimension " .. head.dimension)
        return
    end
    tree:add(field.hops_left, left - 1):set_generated()
    if head.source == NONE or head.source >= 2 ^ head.dims then
        tree:add(field.hop_known_by, "the source is not known: only the hops left are"):set_generated()
        column[#column + 1] = (left - 1) .. " hops left"
        return
    end
    local all = differing(head.source, destination, head.dims)
    local hop = differing(head.source, destination, head.dimension) + 1
    tree:add(field.hop, hop):set_generated()
    tree:add(field.hops, all):set_generated()
    tree:add(field.hop_known_by, "inferred: source by the schedule of the run, destination by the frame"):set_generated()
    column[#column + 1] = "hop " .. hop .. " of " .. all
end

-- ---- the head

local function take_head(tree, buffer)
    local layout = {{"version", 0, 1}, {"head_length", 1, 1}, {"codec", 2, 1}, {"dims", 3, 1}, {"flags", 4, 2}, {"link", 6, 2},
        {"dimension", 8, 2}, {"phase", 10, 2}, {"superframe", 12, 4}, {"phases", 16, 2}, {"frame_bytes", 18, 2}, {"sender", 20, 4},
        {"receiver", 24, 4}, {"source", 28, 4}, {"message", 32, 8}, {"start_ps", 40, 8}, {"end_ps", 48, 8}, {"bytes_seen", 56, 4},
        {"bad_stop", 60, 2}}
    local head = {}
    head.source = buffer(28, 4):le_uint()
    head.bad_stop = buffer(60, 2):le_uint()
    for _, one in ipairs(layout) do
        local name, range = one[1], buffer(one[2], one[3])
        if one[3] < 8 then head[name] = range:le_uint() end
        local absent = (name == "source" or name == "message") and head.source == NONE or
            name == "bad_stop" and head.bad_stop == 0xffff
        if not absent then
            local item = tree:add_le(field[name], range)
            if name == "flags" then
                for _, bit in ipairs({"expected", "correct", "framing_error", "cut", "by_bench", "finding", "collision", "by_bytes",
                    "opportunistic"}) do
                    item:add_le(field[bit], range)
                end
            end
        end
    end
    local bits = {expected = 0, correct = 1, framing = 2, cut = 3, by_bench = 4, named = 5, collision = 6, opportunistic = 8}
    for name, at in pairs(bits) do head[name] = bit_of(head.flags, at) == 1 end
    if proto.prefs.codec ~= AUTO then head.codec = ({[AS_SLOT] = SLOT, [AS_STARC] = STARC, [AS_BARE] = BARE})[proto.prefs.codec] end
    if proto.prefs.dims > 0 and proto.prefs.dims <= DIMS_MAX then head.dims = proto.prefs.dims end
    return head
end

local function tell(tree, head, column)
    if head.named then
        flag(tree, expert.named, "a finding names this transmission: see the packet comment")
        column[#column + 1] = "FINDING"
    end
    if not head.expected then
        flag(tree, expert.unexpected)
        column[#column + 1] = "unexpected"
    end
    if head.framing then
        flag(tree, expert.framing, "no valid stop bit in byte " .. head.bad_stop)
        column[#column + 1] = "framing error"
    end
    if head.cut then
        flag(tree, expert.cut)
        column[#column + 1] = "cut"
    end
    if head.collision then column[#column + 1] = "collision" end
end

function proto.dissector(buffer, packet, root)
    local tree = root:add(proto, buffer())
    packet.cols.protocol = "phasebench"
    if buffer:len() < HEAD_BYTES then
        flag(tree, expert.short_head, string.format("%d bytes, the head has %d", buffer:len(), HEAD_BYTES))
        packet.cols.info = "shorter than the head"
        return buffer:len()
    end
    local version, length = buffer(0, 1):uint(), buffer(1, 1):uint()
    if version ~= HEAD_VERSION or length ~= HEAD_BYTES then
        flag(tree, expert.version, string.format("version %d with a head of %d bytes, this dissector reads version %d with %d",
            version, length, HEAD_VERSION, HEAD_BYTES))
        packet.cols.info = "unknown version " .. version
        return buffer:len()
    end
    local head = take_head(tree:add(buffer(0, HEAD_BYTES), "Head"), buffer)
    local column = {string.format("%d.%d %s > %s dim %d%s", head.superframe, head.phase, address(head.sender),
        address(head.receiver), head.dimension, head.by_bench and " (bench)" or "")}
    packet.cols.src = address(head.sender) .. (head.by_bench and " bench" or "")
    packet.cols.dst = address(head.receiver)
    local destination
    if buffer:len() > HEAD_BYTES then
        local bytes = buffer(HEAD_BYTES):tvb()
        local frame = tree:add(field.frame, bytes())
        if head.codec == STARC then
            destination = take_starc(frame, bytes, head, column)
        elseif head.codec == BARE then
            take_bare(frame, bytes, head, column)
        else
            destination = take_slot(frame, bytes, head, column)
        end
    else
        flag(tree, expert.length, string.format("no byte, a frame of this run has %d", head.frame_bytes))
        column[#column + 1] = "no byte"
    end
    take_route(tree, head, destination, column)
    tell(tree, head, column)
    packet.cols.info = table.concat(column, ", ")
    return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, proto)
