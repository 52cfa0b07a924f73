import { type Finding, findingsOf, preflight, type Subject, systemTools } from '../../checks/index.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/index.ts'
import { withEndpoint } from '../../store/index.ts'
import { statePlace } from '../import/state-place.ts'
import { unfinishedUndos } from '../undo/unfinished.ts'
import { type DoctorValues, doctorSubject } from './order.ts'

export async function byOptions(options: Options<DoctorValues>, io: Io): Promise<Finding[]> {
  const subject = doctorSubject(options, io.env)
  const { file, dataset, endpoint } = options.values
  const input = dataset === undefined ? file[0] : withEndpoint(dataset, endpoint)
  const undos =
    input === undefined ? [] : await unfinishedUndos([statePlace({ ...options.values, input }, io.env)])
  return [...(await preflight(subject, systemTools(io))), ...undos, ...notLookedAt(subject)]
}

/** What nothing names can't be looked at, and is said. */
function notLookedAt({ places, input, sources }: Subject): Finding[] {
  const notes: Finding[] = []
  if (sources.length === 0) {
    const cause = 'export needs them, other commands do not'
    notes.push(findingsOf('vendor').note("no vendor's credentials are set", { cause }))
  }
  if (places.length === 0 && !input) {
    const remedy = 'name what you will use: --in and --out, or --dataset, or --file'
    const text = 'no input and no output was named, so room, rights and time are not known'
    notes.push(findingsOf('store').note(text, { remedy }))
  }
  return notes
}
