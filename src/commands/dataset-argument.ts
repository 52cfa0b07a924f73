import type { Command } from 'commander'
import { PosthaulError } from '../errors.ts'

/** Declares the dataset of a command that only reads one: its argument, or the option that import has for it. */
export function addDatasetArgument(command: Command): Command {
  return command
    .argument('[dataset]', 'a dataset that transform or groups export wrote')
    .option('--dataset <folder>', 'the same, said as import says it')
}

/** The one dataset that was named. */
export function datasetOf(argument: string | undefined, option: string | undefined): string {
  const named = argument ?? option
  if (named !== undefined && (argument === undefined || option === undefined)) return named
  throw wrongNumber(named === undefined ? 'no dataset was named' : 'two datasets: this takes one')
}

/** As above, of a command that takes several together. */
export function addDatasetArguments(command: Command): Command {
  return command
    .argument('[datasets...]', 'datasets that transform or groups export wrote; several are counted together')
    .option('--dataset <folder>', 'the same, said as import says it')
}

/** The datasets that were named, one at least. */
export function datasetsOf(args: readonly string[], option: string | undefined): readonly string[] {
  const named = option === undefined ? args : [...args, option]
  if (named.length === 0) throw wrongNumber('no dataset was named')
  return named
}

/** Refuses arguments where the input is an option's value: check and verify have taught people to name it bare. */
export function refuseArguments([first, ...more]: readonly string[]): void {
  if (first === undefined) return
  throw new PosthaulError(`"${first}" stands there without its option`, {
    code: 'usage',
    hint: `did you mean --dataset ${first}, or --file ${first}?${more.length > 0 ? ' An import takes one input.' : ''}`,
  })
}

function wrongNumber(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'usage',
    hint: 'name the folder that transform wrote, for example events/',
  })
}
