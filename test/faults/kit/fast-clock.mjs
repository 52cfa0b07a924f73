/*
 * Makes a process's clocks and timers run POSTHAUL_CLOCK's `speed` times as fast since `origin` (ms since the epoch), so
 * that a test need not wait for a deadline, or watch a whole minute. It is loaded before the program by
 * NODE_OPTIONS=--import, in every thread; clock.ts beside it writes the variable. `ahead` is added to the time, in ms, and
 * `host` is the machine: its name, and that of its boot. A process that runs many commands sets the clock for each.
 */
import fsPromises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import timersPromises from 'node:timers/promises'

const OWN = process.env.POSTHAUL_CLOCK ?? '{"speed":1,"origin":0}'
let { speed, origin, ahead = 0, host } = JSON.parse(OWN)

/** Sets the clock to that of a command, or to the one that the process began with. */
export function setClock(clock = OWN) {
  ;({ speed, origin, ahead = 0, host } = JSON.parse(clock))
}

const now = performance.now.bind(performance)
performance.now = () => now() * speed
const wall = Date.now
Date.now = () => Math.round(origin + ahead + (wall() - origin) * speed)

const scaled = (ms) => (typeof ms === 'number' ? ms / speed : ms)
const { setTimeout: timeout, setInterval: interval } = globalThis
globalThis.setTimeout = (work, ms, ...more) => timeout(work, scaled(ms), ...more)
globalThis.setInterval = (work, ms, ...more) => interval(work, scaled(ms), ...more)
const { setTimeout: promised } = timersPromises
timersPromises.setTimeout = (ms, ...more) => promised(scaled(ms), ...more)
const { hostname } = os
os.hostname = () => host ?? hostname()
const { readFile } = fsPromises
fsPromises.readFile = async (path, ...more) =>
  host !== undefined && path === '/proc/sys/kernel/random/boot_id'
    ? `boot of ${host}\n`
    : readFile(path, ...more)
syncBuiltinESMExports()
