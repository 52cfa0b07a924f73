/*
 * Makes a process of the command line die, or its disk or clock misbehave, at a chosen point. It is loaded before the
 * program by NODE_OPTIONS=--import, in every thread; `plan.ts` beside it writes the plan, and says what each member means.
 *
 * A point is one call of a function of fs or of a socket: `read`, `write`, `fsync`, `rename`, `link`, `remove`, `mkdir`,
 * `send` (bytes go to a socket) and `answer` (bytes came from one). Points of worker threads have `worker ` before their
 * name. Only points whose path contains `match` count; a socket's path is its remote address.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const plan = JSON.parse(process.env.POSTHAUL_FAULTS ?? '{}')
const { openSync, readlinkSync, writeSync } = fs
const log = plan.log === undefined ? undefined : openSync(plan.log, 'a')
const passed = new Map()

/** Counts a point. Returns its number among those of its name, from 1; 0 if the plan does not look at its path. */
function count(name, path) {
  const label = isMainThread ? name : `worker ${name}`
  if (plan.match !== undefined && !path.includes(plan.match)) return { label, nth: 0 }
  const nth = (passed.get(label) ?? 0) + 1
  passed.set(label, nth)
  if (log !== undefined) writeSync(log, `${label}\t${path}\n`)
  return { label, nth }
}

function dieIf({ label, nth }, when) {
  const { kill } = plan
  if (kill && kill.when === when && kill.point === label && kill.nth === nth)
    process.kill(process.pid, 'SIGKILL')
}

/** The error that the plan has for this point, or undefined. */
function failureAt({ label, nth }, syscall, path) {
  const { fail } = plan
  if (!fail?.points.includes(label) || nth < fail.from || nth >= (fail.to ?? Number.POSITIVE_INFINITY))
    return undefined
  return Object.assign(new Error(`${fail.code}: made by the test, ${syscall} '${path}'`), {
    code: fail.code,
    errno: -1,
    syscall,
    path,
  })
}

/** The path of an open file, by its number. */
function pathOf(fd) {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

/** The whole path of what a function of fs was given: a path, a URL, a number, an open file. */
function textOf(given) {
  if (typeof given === 'number') return pathOf(given)
  if (given?.fd !== undefined) return pathOf(given.fd)
  return resolve(given instanceof URL ? fileURLToPath(given) : String(given))
}

/** A full disk takes the first half of the bytes. */
function halfOf(name, given) {
  if (name !== 'write' || !ArrayBuffer.isView(given[0]) || given[0].byteLength < 2) return undefined
  const { buffer, byteOffset, byteLength } = given[0]
  const [offset = 0, length = byteLength - (typeof offset === 'number' ? offset : 0), position] =
    given.slice(1)
  if (typeof offset !== 'number' || typeof length !== 'number') return undefined
  return [new Uint8Array(buffer, byteOffset, byteLength), offset, length >>> 1, position]
}

function promised(name, work, pathFrom) {
  return async function (...given) {
    const path = pathFrom.call(this, given)
    const point = count(name, path)
    dieIf(point, 'before')
    const failure = failureAt(point, name, path)
    if (failure) {
      const half = plan.fail.code === 'ENOSPC' ? halfOf(name, given) : undefined
      if (half) await work.apply(this, half)
      throw failure
    }
    const result = await work.apply(this, given)
    dieIf(point, 'after')
    return result
  }
}

function synchronous(name, work) {
  return function (...given) {
    const path = textOf(given[0])
    const point = count(name, path)
    dieIf(point, 'before')
    const failure = failureAt(point, name, path)
    if (failure) throw failure
    const result = work.apply(this, given)
    dieIf(point, 'after')
    return result
  }
}

function calling(name, work) {
  return function (...given) {
    const path = textOf(given[0])
    const point = count(name, path)
    dieIf(point, 'before')
    const done = given.at(-1)
    if (typeof done !== 'function') return work.apply(this, given)
    const failure = failureAt(point, name, path)
    if (failure) return void process.nextTick(done, failure)
    given[given.length - 1] = (...results) => {
      dieIf(point, 'after')
      done(...results)
    }
    return work.apply(this, given)
  }
}

const firstPath = ([path]) => textOf(path)
const NAMES = {
  rename: 'rename',
  link: 'link',
  rm: 'remove',
  unlink: 'remove',
  rmdir: 'remove',
  mkdir: 'mkdir',
  writeFile: 'write',
  readFile: 'read',
}
for (const [method, name] of Object.entries(NAMES)) {
  fs.promises[method] = promised(name, fs.promises[method], firstPath)
  fs[`${method}Sync`] = synchronous(name, fs[`${method}Sync`])
  fs[method] = calling(name, fs[method])
}
const NUMBERED = { read: 'read', write: 'write', writev: 'write', fsync: 'fsync', fdatasync: 'fsync' }
for (const [method, name] of Object.entries(NUMBERED)) {
  fs[`${method}Sync`] = synchronous(name, fs[`${method}Sync`])
  fs[method] = calling(name, fs[method])
}

// The class of FileHandle is not exported: an open file has it.
const handle = await fs.promises.open('/dev/null')
const FileHandle = Object.getPrototypeOf(handle)
await handle.close()
const HANDLED = {
  read: 'read',
  write: 'write',
  writev: 'write',
  writeFile: 'write',
  appendFile: 'write',
  sync: 'fsync',
  datasync: 'fsync',
}
for (const [method, name] of Object.entries(HANDLED)) {
  const work = FileHandle[method]
  FileHandle[method] = promised(name, work, function () {
    return pathOf(this.fd)
  })
}
syncBuiltinESMExports()

const remote = (socket) => `${socket.remoteAddress}:${socket.remotePort}`
const { write, read } = net.Socket.prototype
net.Socket.prototype.write = function (...given) {
  if (this.remotePort === undefined) return write.apply(this, given)
  const point = count('send', remote(this))
  dieIf(point, 'before')
  const result = write.apply(this, given)
  dieIf(point, 'after')
  return result
}
net.Socket.prototype.read = function (...given) {
  const chunk = read.apply(this, given)
  if (chunk === null || this.remotePort === undefined) return chunk
  const point = count('answer', remote(this))
  dieIf(point, 'before')
  // The program has the bytes when this turn of the event loop ends.
  if (plan.kill?.when === 'after') setImmediate(() => dieIf(point, 'after'))
  return chunk
}

/** A clock that is moved by `byMs` once the process has lived for `afterMs`. */
function moved(clock, jumps) {
  const lived = performance.now.bind(performance)
  return () => jumps.reduce((time, [afterMs, byMs]) => (lived() >= afterMs ? time + byMs : time), clock())
}
if (plan.wall) Date.now = moved(Date.now, plan.wall)
if (plan.monotonic) performance.now = moved(performance.now.bind(performance), plan.monotonic)
