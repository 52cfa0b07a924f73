import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

/** `demo`: a whole migration on sample data. */
export const command = describe({
  options: OPTIONS,
  work: async () => (await import('./run.ts')).demo,
})
