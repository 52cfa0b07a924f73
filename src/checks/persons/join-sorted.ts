/** An entry of a list that is in the order of its keys, each of which is there once. */
type Entry<T> = readonly [key: string, value: T]

/** The keys that two lists share, in order, with the value of each list. Closes both lists, however it ends. */
export function* joined<A, B>(
  one: Iterable<Entry<A>>,
  other: Iterable<Entry<B>>,
): Generator<readonly [key: string, one: A, other: B]> {
  const others = other[Symbol.iterator]()
  try {
    let next = others.next()
    for (const [key, value] of one) {
      while (!next.done && next.value[0] < key) next = others.next()
      if (next.done) return
      if (next.value[0] === key) yield [key, value, next.value[1]]
    }
  } finally {
    others.return?.()
  }
}
