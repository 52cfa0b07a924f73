import { join } from 'node:path'
import type { Job } from './job.ts'
import type { Segment } from './run/frame.ts'

/** A piece of a transform that one worker does in one go. */
export type Task =
  | { readonly type: 'sample'; readonly pairs: number }
  | { readonly type: 'map'; readonly unit: number }
  | { readonly type: 'generate'; readonly share: number; readonly shares: number }
  | { readonly type: 'seal'; readonly day: number; readonly segments: readonly Segment[] }

/** The task's name, in the journal too. */
export function pieceName(task: Task): string {
  switch (task.type) {
    case 'sample':
      return 'sample'
    case 'map':
      return unitName(task.unit)
    case 'generate':
      return `generated-${task.share}`
    case 'seal':
      return `day-${task.day}`
  }
}

/** Name of a unit's files in the work folder, without their endings. */
export function unitName(unit: number): string {
  return `unit-${String(unit).padStart(6, '0')}`
}

/** Where the units of a job note what they saw. */
export function seenFiles({ units }: Job, work: string): string[] {
  return units.map((_, unit) => join(work, `${unitName(unit)}.seen`))
}
