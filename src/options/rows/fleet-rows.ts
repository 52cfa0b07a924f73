import { MOST_TASKS } from '../../text/index.ts'
import { row } from '../row.ts'
import { wholeNumber } from '../values.ts'

// How a transform is shared out over many machines.

export const TASKS = row({
  flag: '--tasks <n>',
  parse: wholeNumber(1, MOST_TASKS),
  otherwise: 'one for each 8 GiB of input, at most 1,000',
  help: 'how many tasks each stage has',
})

export const RESTART_FLEET = row({
  flag: '--restart',
  help: 'remove the plan that is there, with what its tasks have done, and plan anew',
})

export const INDEX = row({
  flag: '--index <n>',
  parse: wholeNumber(0, MOST_TASKS - 1),
  otherwise: "from the scheduler's own variable",
  help: 'the task of the stage, counted from 0',
})

export const TASK_WORK_DIR = row({
  flag: '--work-dir <folder>',
  otherwise: 'the place of all work files',
  help: 'where tasks keep their work files',
})
