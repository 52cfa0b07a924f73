import { PosthaulError } from '../errors.ts'
import { DATASET } from '../options/dataset-rows.ts'

/** The option that check and verify take in place of their argument. */
export const DATASET_OPTION = {
  ...DATASET,
  bare: false,
  help: 'the dataset, given as import takes it',
} as const

/** The argument of a command that reads one dataset. */
export const DATASET_ARGUMENT = ['[dataset]', 'a dataset that transform or groups export wrote'] as const

/** The one dataset that is named, by the argument or by the option. */
export function datasetOf(argument: string | undefined, option: string | undefined): string {
  const named = argument ?? option
  if (named !== undefined && (argument === undefined || option === undefined)) return named
  throw wrongNumber(
    named === undefined ? 'no dataset was named' : 'two datasets were named: this command takes one',
  )
}

/** The argument of a command that reads several datasets together. */
export const DATASET_ARGUMENTS = [
  '[datasets...]',
  'datasets that transform or groups export wrote; several are counted together',
] as const

/** The datasets that are named, at least one. */
export function datasetsOf(args: readonly string[], option: string | undefined): readonly string[] {
  const named = option === undefined ? args : [...args, option]
  if (named.length === 0) throw wrongNumber('no dataset was named')
  return named
}

function wrongNumber(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'usage',
    hint: 'name the folder that transform wrote, for example events/',
  })
}
