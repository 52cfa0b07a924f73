import type { EventsManifest } from '../store/manifest.ts'

const EVERY_MS = 10_000

/** Says now and then how far the reading of groups is; nobody knows how many there will be. */
export function pageReporter(
  stderr: NodeJS.WritableStream,
  now = Date.now,
): (type: string, total: number) => void {
  let last = now()
  return (type, total) => {
    if (now() - last < EVERY_MS) return
    last = now()
    stderr.write(`posthaul: ${count(total)} groups of type ${type} so far\n`)
  }
}

/** Where every group went, and what to do with the dataset. */
export function groupsExportSummary(
  out: string,
  { counts, parts, rejects, big_integers }: EventsManifest,
): string {
  const { read, written, rejected, filtered, duplicate, pending } = counts
  const lines = [
    `groups export: ${count(read)} read = ${count(written)} written + ${count(rejected)} rejected + ` +
      `${filtered} filtered + ${count(duplicate)} duplicate + ${pending} pending`,
    `  ${count(new Set(parts.map(({ day }) => day)).size)} days in ${out}`,
  ]
  for (const [reason, n] of Object.entries(rejects)) lines.push(`  rejected: ${reason} ${count(n)}`)
  if (rejected > 0) lines.push('  their events and reasons are in rejects.ndjson there')
  const big = Object.entries(big_integers).map(([name, n]) => `${name} (${count(n)})`)
  if (big.length > 0)
    lines.push(`  beware: integers over 2^53, which the service rounds, in ${big.join(', ')}`)
  // A group type begins with its first event: what was sent before it is not counted to its groups.
  lines.push(`  import them before the events that name them: posthaul import --dataset ${out}`)
  return `${lines.join('\n')}\n`
}

function count(n: number): string {
  return n.toLocaleString('en')
}
