import type { CellKind } from '../../src/state/cell-kind.ts'

/** The bytes of a state, with other members in it. */
export function edited<T extends object>(
  kind: CellKind<T>,
  bytes: Uint8Array,
  edit: (value: T) => Partial<T>,
): Uint8Array {
  const reading = kind.read(bytes)
  if (reading.kind !== 'whole') throw new Error(`${kind.name}: ${reading.kind}`)
  return Buffer.from(kind.encode({ ...reading.value, ...edit(reading.value) }))
}
