import type { Store } from '../../src/store/store.ts'

/** A store whose process dies at a write: before it, or after it and before its answer. */
export function mortal(store: Store, writes: number, answered: boolean, died: () => void): Store {
  let left = writes
  const dying = <A extends unknown[], R>(act: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (left-- > 0) return act(...args)
      died()
      if (left === -1 && answered) await act(...args)
      throw new Error('killed')
    }
  }
  return {
    location: store.location,
    address: (name) => store.address(name),
    list: () => store.list(),
    read: (name, range) => store.read(name, range),
    readThrough: (name, range) => store.readThrough(name, range),
    stamp: (name) => store.stamp(name),
    load: (name) => store.load(name),
    put: dying((...args: Parameters<Store['put']>) => store.put(...args)),
    remove: dying((name: string) => store.remove(name)),
    sweep: () => store.sweep(),
  }
}
