import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

/** `status`: how far imports are. */
export const command = describe({
  argument: [
    '[checkpoint...]',
    'inputs or their checkpoints (default: every *.checkpoint.json in this folder)',
  ],
  options: OPTIONS,
  work: () => import('./run.ts'),
})
