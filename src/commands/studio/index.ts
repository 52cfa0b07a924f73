import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

/** `studio`: a mapping on a page of this machine. */
export const command = describe({
  argument: ['[mapping]', 'the mapping file (default: mapping.yaml), made on the first save'],
  options: OPTIONS,
  isDeed: true,
  work: () => import('./run.ts'),
})
