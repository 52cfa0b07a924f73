import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eventsSha256 } from '../../checks/verify-input.ts'
import { takenFrom } from '../../delivery/checkpoint.ts'
import type { StateOptions } from '../../imports/state-place.ts'
import type { Verified } from '../../imports/verified.ts'
import type { Io } from '../../io.ts'
import { lookAtParts, readManifest } from '../../store/dataset.ts'
import type { EventsManifest, RawManifest } from '../../store/manifest.ts'
import { MANIFEST, MEND_PART, REJECTS } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import { isS3 } from '../../store/s3-location.ts'
import { inputList } from '../../store/source-inputs.ts'
import { number } from '../../text/words.ts'
import { VERSION } from '../../version.ts'
import { countsPart } from './counts-part.ts'
import { type FoundImport, findImport } from './find-import.ts'
import type { Opened, RejectsPart, ReportData, ReportVerdict } from './report-data.ts'
import { figuresOf, reducedNotes, verdictOf } from './summing-up.ts'

type OfEvents = Opened<EventsManifest> & { readonly found: FoundImport }

/** All that is known of datasets, from what lies on disk or in a bucket. `names`: as typed. */
export async function gatherReport(
  names: readonly string[],
  where: Omit<StateOptions, 'input'>,
  io: Io,
): Promise<ReportData> {
  const missing: string[] = []
  const opened = await openDatasets(names)
  for (const { store, manifest } of opened) {
    const { faults, unnamed } = await lookAtParts(store, manifest)
    missing.push(...faults.map((fault) => `${fault}: ${MEND_PART}`), ...unnamed)
  }
  const raw = opened.filter((one): one is Opened<RawManifest> => one.manifest.kind === 'raw')
  const events: OfEvents[] = []
  for (const one of opened.filter((one): one is Opened<EventsManifest> => one.manifest.kind === 'events')) {
    const found = await findImport({ input: one.name, ...where }, io, missing)
    if (!found.part) missing.push(`no import of ${one.name} was found: ${NOT_SENT}`)
    events.push({ ...one, found })
  }
  const sent = events.filter(wasSent)
  // All of them if none is known to have been sent.
  const known = sent.length > 0 ? sent : events
  const proof = verifiedOf(known, missing)
  const subject = subjectOf(events, sent, proof)
  const others = events.filter((one) => !subject.includes(one))
  const isTrial = subject.every(({ manifest }) => manifest.trial)
  const ofKind = events.filter(({ manifest }) => isTrial === (manifest.trial !== undefined))
  const rejects = ofKind.flatMap((one) => [...transformRejects(one), ...importRejects(one.found)])
  const shown = partsOf(raw, ofKind, rejects, proof)
  const verdict = verdictOf(shown)
  return {
    title: `Migration of ${names.join(', ')}`,
    tool: `posthaul ${VERSION}`,
    madeAt: new Date().toISOString(),
    verdict:
      verdict && others.length > 0 ? { ...verdict, text: apartText(verdict, subject, others) } : verdict,
    figures: figuresOf(shown),
    missing,
    reduced: reducedNotes(shown),
    ...partsOf(raw, events, rejects, proof),
    counts: await countsPart({ raw, events, subject, found: proof?.found }),
  }
}

const NOT_SENT =
  'it is not sent yet, or its state is elsewhere (where --state or --checkpoint of the import says)'

function partsOf(
  raw: readonly Opened[],
  events: readonly OfEvents[],
  rejects: ReportData['rejects'],
  proof: Verified | undefined,
) {
  return {
    datasets: [...raw, ...events].map(({ name, manifest }) => ({ name, manifest })),
    imports: events.flatMap(({ found }) => found.part ?? []),
    rejects,
    proof,
  }
}

function wasSent({ found: { part, verified } }: OfEvents): boolean {
  return verified !== undefined || (part !== undefined && takenFrom(part.state) > 0)
}

/** Wholes, or trials where there are no others: the events of a trial are among those of its whole. */
function ofOneKind(events: readonly OfEvents[]): readonly OfEvents[] {
  const wholes = events.filter(({ manifest }) => !manifest.trial)
  return wholes.length > 0 ? wholes : events
}

/** The datasets that verdict and figures are of: what was compared, else what was sent, else all. */
function subjectOf(
  events: readonly OfEvents[],
  sent: readonly OfEvents[],
  proof: Verified | undefined,
): readonly OfEvents[] {
  const compared = new Set(proof?.inputs.map(({ sha256 }) => sha256))
  const proven = events.filter(({ manifest }) => compared.has(eventsSha256(manifest)))
  return ofOneKind([proven, sent, events].find((some) => some.length > 0) ?? [])
}

/** A verdict's text where it is of some of the datasets only. */
function apartText(
  { text }: ReportVerdict,
  subject: readonly OfEvents[],
  others: readonly OfEvents[],
): string {
  const namesOf = (some: readonly OfEvents[]) => some.map(({ name }) => name).join(', ')
  const [elsewhere, unsent] = [others.filter(wasSent), others.filter((one) => !wasSent(one))]
  return [
    ...(text === undefined ? [] : [text]),
    `This is about ${namesOf(subject)}.`,
    ...(unsent.length > 0 ? [`Not sent yet: ${namesOf(unsent)}.`] : []),
    ...(elsewhere.length > 0 ? [`Not compared here: ${namesOf(elsewhere)}.`] : []),
  ].join(' ')
}

/**
 * Opens the datasets that were named, and the raw ones that they were made of, where these are on this machine. One that is
 * named twice counts once. Code `input` for what is no finished dataset.
 */
async function openDatasets(names: readonly string[]): Promise<Opened[]> {
  const opened = new Map<string, Opened>()
  const add = async (name: string) => {
    const store = await openStore(name)
    const address = store.address(MANIFEST)
    if (!opened.has(address)) opened.set(address, { name, store, manifest: await readManifest(store) })
  }
  for (const name of names) await add(name)
  for (const { manifest } of [...opened.values()]) {
    if (manifest.kind === 'raw') continue
    for (const input of inputList(manifest.source) ?? []) {
      // An input is mostly a file, and what is in its folder now may be another export: the user did not name it.
      if (!isS3(input) && existsSync(join(input, MANIFEST))) await add(input).catch(() => undefined)
    }
  }
  return [...opened.values()]
}

/** What the last verify found of the datasets. */
function verifiedOf(events: readonly OfEvents[], missing: string[]): Verified | undefined {
  if (events.length === 0) return undefined
  const kinds = [ofOneKind(events), events.filter(({ manifest }) => manifest.trial)]
  const all = events.flatMap(({ found }) => found.verified ?? [])
  const verified = kinds.map((kind) => all.find((one) => isOf(one, hashesOf(kind)))).find(Boolean)
  if (!verified) missing.push(unverifiedNote(events))
  const known = hashesOf(events)
  const others = verified?.inputs.filter((input) => !input.own && !known.has(input.sha256)).length ?? 0
  if (others > 0)
    missing.push(
      `verify compared ${number(others)} more datasets or files together with these: name them too to see their days`,
    )
  return verified
}

function hashesOf(events: readonly OfEvents[]): ReadonlySet<string> {
  return new Set(events.map(({ manifest }) => eventsSha256(manifest)))
}

function unverifiedNote(events: readonly OfEvents[]): string {
  return events.some(({ found }) => found.verified)
    ? 'the last verify was of other datasets, or of these before they were made anew'
    : 'no verify of these datasets has come to its end, so nothing here proves that the events arrived'
}

/** True if all of the datasets were compared. */
function isOf({ inputs }: Verified, hashes: ReadonlySet<string>): boolean {
  const compared = new Set(inputs.map(({ sha256 }) => sha256))
  return hashes.size > 0 && [...hashes].every((sha256) => compared.has(sha256))
}

/** What a transform rejected; empty if that is nothing. */
function transformRejects({ name, store, manifest }: Opened<EventsManifest>): RejectsPart[] {
  const total = manifest.records.rejected + manifest.events.rejected
  if (total === 0) return []
  const file = store.address(REJECTS)
  return [{ stage: 'transform', input: name, file, total, reasons: manifest.rejects }]
}

/** What an import rejected, in the same way. */
function importRejects({ part, files }: FoundImport): RejectsPart[] {
  if (!part || !files || part.state.counts.rejected === 0) return []
  const { counts, reasons, input } = part.state
  return [{ stage: 'import', input: input.name, file: files.rejects.path, total: counts.rejected, reasons }]
}
