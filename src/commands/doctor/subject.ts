import type { CapsAsked, Input, NamedPlace, Room, Subject } from '../../checks/preflight/subject.ts'
import { capsOf } from '../../delivery/pacer.ts'
import { statePlace, workHome } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import type { VendorProject } from '../../sources/vendor-source.ts'
import { VENDORS } from '../../sources/vendors.ts'
import { isS3 } from '../../store/s3-location.ts'
import type { DoctorCall } from './index.ts'

/** What the options say of a migration. */
export function doctorSubject(options: DoctorCall, env: Io['env']): Subject {
  const { values, resolved } = options
  const { out, gzip, dataset, in: inputs } = values
  const imported = dataset ?? values.file[0]
  const places: NamedPlace[] = inputs
    .filter(isS3)
    .map((location) => ({ what: 'input', location, use: 'reads' }))
  const rooms: Room[] = []
  if (out !== undefined) {
    const location = out
    places.push({ what: 'output', location, use: 'writes' })
    const folder = isS3(location) ? workHome(env, values.workDir) : out
    if (inputs.length > 0) rooms.push({ folder, holds: 'work' })
    if (!isS3(location)) rooms.push({ folder, holds: inputs.length > 0 ? 'events' : 'raw', gzip })
  }
  if (dataset !== undefined && isS3(dataset))
    places.push({ what: 'dataset', location: dataset, use: 'reads' })
  if (imported !== undefined) {
    const { location } = statePlace({ ...values, input: imported }, env)
    places.push({ what: 'state', location, use: 'writes', conditional: !values.singleWriter })
    if (!isS3(location)) rooms.push({ folder: location, holds: 'state' })
  }
  const { ingestHost, host, region } = resolved
  const isSet = [ingestHost, host, region].some(Boolean) || KEYS.some((name) => isGiven(name, env))
  const input = inputFrom(inputs, dataset, values.file)
  const sends = imported !== undefined || isSet || values.projectKeyStdin
  return {
    service: options,
    sends,
    via: values.via ?? 'batch',
    sources: sourcesIn(env),
    places,
    rooms,
    ...(input && { input }),
    ...(sends && { caps: capsFrom(options) }),
  }
}

const KEYS = ['POSTHOG_PROJECT_API_KEY', 'POSTHOG_PERSONAL_API_KEY']

function sourcesIn(env: Io['env']): VendorProject[] {
  return VENDORS.filter(({ signs }) => signs.some((name) => isGiven(name, env))).map(({ name }) => ({
    vendor: name,
  }))
}

function isGiven(name: string, env: Io['env']): boolean {
  return Boolean(env[name] || env[`${name}_FILE`])
}

function inputFrom(
  inputs: readonly string[],
  dataset: string | undefined,
  files: readonly string[],
): Input | undefined {
  if (inputs.length > 0) return { files: inputs }
  if (dataset !== undefined) return { dataset }
  return files.length > 0 ? { files } : undefined
}

function capsFrom(options: DoctorCall): CapsAsked {
  const { lanes, approved } = options.values
  // Caps that need approval are allowed here: what they lack is a finding.
  const caps = capsOf(options, true)
  return { ...caps, lanes, ...(approved && { granted: caps }) }
}
