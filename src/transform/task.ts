import type { EventPart } from '../store/manifest.ts'
import type { SortedRun } from '../store/sorted-lines.ts'
import type { EarlierPart } from './after/earlier.ts'
import type { ShareOrder } from './gather.ts'
import type { LinksOrder, UnitOrder } from './job.ts'
import type { Segment } from './run/frame.ts'
import type { SampleReading } from './sample.ts'
import type { ChosenPeople } from './trial/trial-order.ts'
import type { WrittenFile } from './work-file.ts'

export type Task =
  | ({ readonly type: 'sample' } & SampleReading)
  | ({
      readonly type: 'rows'
      readonly folder: string
      /** Names of tables of records. */
      readonly tables: readonly string[]
    } & UnitOrder)
  | {
      readonly type: 'fold'
      readonly table: string
      readonly folder: string
      readonly runs: readonly SortedRun[]
    }
  | ({ readonly type: 'links' } & LinksOrder)
  | ({ readonly type: 'map' } & UnitOrder)
  | { readonly type: 'carry'; readonly seen: readonly WrittenFile[] }
  | {
      readonly type: 'gather'
      readonly group: number
      readonly shares: number
      readonly seen: readonly WrittenFile[]
    }
  | ({ readonly type: 'generate' } & ShareOrder)
  | {
      readonly type: 'seal'
      readonly day: number
      readonly segments: readonly Segment[]
      readonly known: readonly EarlierPart[]
    }
  | {
      readonly type: 'trial'
      readonly day: number
      readonly parts: readonly EventPart[]
      readonly people: ChosenPeople
    }

/** The task's name, in the journal too. */
export function pieceName(task: Task): string {
  switch (task.type) {
    case 'sample':
      return 'sample'
    case 'rows':
      return `rows-${task.unit}`
    case 'fold':
      return `fold-${task.table}`
    case 'links':
      return `links-${task.unit}`
    case 'map':
      return unitName(task.unit)
    case 'carry':
      return 'carried'
    case 'gather':
      return `gathered-${task.group}`
    case 'generate':
      return generatedName(task.share, task.shares)
    case 'seal':
      return dayName(task.day)
    case 'trial':
      return trialName(task.day)
  }
}

/** Name of a unit's files in the work folder, without their endings. */
export function unitName(unit: number): string {
  return `unit-${String(unit).padStart(6, '0')}`
}

/**
 * Name of a share's files. Observations take more bytes or fewer by what their workers had seen before, so a transform that
 * goes on can divide them into another number of shares: the name says of how many.
 */
export function generatedName(share: number, shares: number): string {
  return `generated-${share}-of-${shares}`
}

export function dayName(day: number): string {
  return `day-${day}`
}

/** Name of a trial's day in the journal; without a day, what all these names begin with. */
export function trialName(day: number | ''): string {
  return `trial-${day}`
}

export interface PieceOptions<T> {
  /** Called once for each result, as they come, with the number of its piece; what it returns is kept instead. */
  readonly each?: (result: T, number: number) => T
  /** Pieces that a thread does at the same time: only days can be more than one. */
  readonly atOnce?: number
}

/**
 * Does all pieces, each of which is made when a thread is free for it (pool.ts), and returns their results in the order of
 * `tasks`. Rejects with the first failure.
 */
export type DoPieces = <T>(tasks: Iterable<Task>, options?: PieceOptions<T>) => Promise<T[]>
