import type { Task } from './task.ts'

export interface PieceOptions<T> {
  /** Called once for each result, as they come, with the number of its piece; what it returns is kept instead. */
  readonly each?: (result: T, number: number) => T
  /** Pieces that a thread does at the same time: only days can be more than one. */
  readonly atOnce?: number
}

/**
 * Who does the pieces of a job. There are two: the threads of a transform (pool.ts), and the task of a fleet, which does
 * its pieces one after the other (fleet/task-host.ts). What is done with pieces, and in which order, stands once for both.
 */
export interface PieceHost {
  /**
   * Does all pieces, each of which is made when somebody is free for it, and returns their results in the order of `tasks`.
   * Rejects with the first failure.
   */
  all<T>(tasks: Iterable<Task>, options?: PieceOptions<T>): Promise<T[]>
}
