/*
 * Loaded into the process of the commands before the program: a clock that stands still, ids that depend on the command
 * line alone, and a service whose address is always the same. What passes by `performance.now` stays real.
 */
import crypto, { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const NOW = Date.parse(process.env.GATE_NOW)
const SERVICE_PORT = Number(process.env.GATE_SERVICE_PORT)
const REAL_PORT = Number(process.env.GATE_REAL_PORT)

const MachineDate = Date
globalThis.Date = class extends MachineDate {
  constructor(...given) {
    super(...(given.length > 0 ? given : [NOW]))
  }

  static now() {
    return NOW
  }
}

let [line, drawn] = ['', new Map()]
const { emit } = process
// A listener of its own would take the first message before the host listens.
process.emit = function (name, ...rest) {
  if (name === 'message') [line, drawn] = [rest[0].argv.join(' '), new Map()]
  return emit.call(this, name, ...rest)
}

/** Each place in the program that draws has a row of its own: how often a state is saved depends on the machine. */
function digest() {
  const place = new Error().stack.split('\n')[3]
  const n = drawn.get(place) ?? 0
  drawn.set(place, n + 1)
  return createHash('sha256').update(`${line} ${n}`).digest()
}

Math.random = () => digest().readUInt32BE() / 2 ** 32
crypto.randomUUID = () => {
  const hex = digest().toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
const { randomBytes } = crypto
crypto.randomBytes = (size, ...rest) =>
  rest.length > 0 ? randomBytes(size, ...rest) : Buffer.alloc(size, digest())
syncBuiltinESMExports()

const { connect } = net
net.connect = (options, ...rest) =>
  connect(
    options?.port === SERVICE_PORT || options?.port === String(SERVICE_PORT)
      ? { ...options, port: REAL_PORT }
      : options,
    ...rest,
  )
