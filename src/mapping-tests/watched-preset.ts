import { PRESET_FAILED } from '../mapping/own-preset.ts'
import { Filtered, type Preset, Rejection } from '../mapping/preset.ts'

/** What a watched preset tells of its functions. */
interface Watcher {
  called(): void
  /** A function looked at the clock or at chance: `Date.now()`. */
  looked(name: string, what: string): void
  /** A function threw what is no Rejection and not Filtered, or returned nonsense. `why` names the function. */
  failed(name: string, why: string): void
}

/** The preset, with each call of its functions watched. It makes the same events. */
export function watchedPreset(preset: Preset, watcher: Watcher): Preset {
  const watch =
    (name: string, call: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      watcher.called()
      const restore = watchClock((what) => watcher.looked(name, what))
      try {
        return call.apply(preset, args)
      } catch (error) {
        const isOwn = error instanceof Rejection && error.reason !== PRESET_FAILED
        // What parseTime throws.
        if (isOwn || error instanceof Filtered || error instanceof RangeError) throw error
        const { message } = error instanceof Error ? error : { message: String(error) }
        const why = error instanceof Rejection ? message : `${name} failed: ${message}`
        watcher.failed(name, why)
        throw new Rejection(PRESET_FAILED, why)
      } finally {
        restore()
      }
    }
  const members = Object.entries(preset).map(([name, member]) => [
    name,
    typeof member === 'function' ? watch(name, member) : member,
  ])
  return Object.fromEntries(members) as Preset
}

/**
 * Tells each look at the clock or at chance, which answer as ever, until the function is called that it returns. It also
 * sees a preset that took `Date.now` for itself, if that was while it watched.
 */
export function watchClock(looked: (what: string) => void): () => void {
  const { Date: clock } = globalThis
  const { random } = Math
  const told = <T>(what: string, value: T): T => {
    looked(what)
    return value
  }
  globalThis.Date = new Proxy(clock, {
    apply: () => told('Date()', clock()),
    construct: (target, args, newTarget) => {
      if (args.length === 0) looked('new Date()')
      return Reflect.construct(target, args, newTarget)
    },
    get: (target, name, receiver) =>
      name === 'now' ? () => told('Date.now()', clock.now()) : Reflect.get(target, name, receiver),
  })
  Math.random = () => told('Math.random()', random())
  return () => {
    globalThis.Date = clock
    Math.random = random
  }
}
