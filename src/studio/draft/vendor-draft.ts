import type { ForeignClock } from '../../mapping/clock-gaps.ts'
import type { Preset } from '../../mapping/preset.ts'
import { USUAL_REJECT_RATIO } from '../../record/rules.ts'
import { zoneOffsetMicros } from '../../record/zone.ts'
import { MICROS_PER_SECOND } from '../../text/units.ts'
import { number } from '../../text/words.ts'
import { lastName } from '../profile/member.ts'
import type { Trial } from '../trial.ts'
import { columnLines, columnSection } from './column-lines.ts'
import { deletedLines } from './deleted-lines.ts'
import type { Facts, MappingDraft } from './draft-facts.ts'
import { secretLines } from './secrets.ts'
import { comment, inComment, percentText } from './yaml-text.ts'

/** Zones that many projects are in: of those that fit, the first is the likeliest. */
const ZONES = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Helsinki',
  'Europe/Istanbul',
  'Asia/Dubai',
  'Asia/Kolkata',
  'Asia/Singapore',
  'Asia/Tokyo',
  'Australia/Sydney',
]
const MOST_NAMED = 12
const WINTER = Date.UTC(2024, 0, 15) * 1000
const SUMMER = Date.UTC(2024, 6, 15) * 1000

/** A question on lines of its own. */
const ask = (text: string) => comment(text, '', '# ? ')

/** Writes what differs from the usual for a vendor's records. `trial`: what the preset alone makes of them. */
export function vendorDraft(facts: Facts, preset: Preset, trial: Trial): MappingDraft {
  const table = facts.isText ? columnSection(columnLines(facts, facts.flat ?? new Map()), facts) : undefined
  const secrets = secretLines(facts, trial.members)
  const lines = [
    ...zoneLines(trial.foreignClock),
    ...bigIntegerLines(trial),
    ...(secrets.length === 0 ? [] : ['properties:', ...secrets]),
    ...deletedLines(facts),
    ...unreadLines(trial),
    ...trial.switches.flatMap(({ name, help, more }) => {
      const change =
        more > 0 ? `${number(more)} more of the records become events` : `${number(-more)} fewer events`
      return ask(
        `--with ${name} ${help}: with it, ${change} of the ${number(trial.read)} that were tried; do you want it?`,
      )
    }),
    ...(trial.sides.length > 0
      ? comment(
          `the preset reads records together with ${trial.sides.join(', ')}: among the inputs by their names, or by --join`,
        )
      : []),
    ...(preset.groupType === undefined
      ? []
      : comment(`group_type: ${preset.groupType} (the type of groups whose records name none)`)),
    ...(preset.readsBaseUrl
      ? comment('base_url: https://stats.example.com (your server; ids of events are made with it)')
      : []),
    ...groupLines(facts),
    ...(table ? ['', ...table] : []),
  ]
  return { lines, missing: [] }
}

function zoneLines(clock: ForeignClock | undefined): string[] {
  if (!clock) return []
  const { offsets, records, of } = clock
  const zone = zoneOf(offsets)
  const why = `${number(records)} of ${number(of)} times are ${offsets.join(' and ')} from the time of their arrival, so they are of a clock that is not UTC`
  if (zone === undefined) return ask(`${why}: of which zone? source_timezone: America/New_York says it`)
  return [`source_timezone: ${zone}`, ...ask(`${why}: ${zone}, or another zone with that clock?`)]
}

/** A zone that has these offsets. */
function zoneOf(offsets: readonly string[]): string | undefined {
  const wanted = offsets.map((text) => {
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(text) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  })
  const offsetsOf = (zone: string) =>
    [WINTER, SUMMER].map((at) => zoneOffsetMicros(at, zone) / (60 * MICROS_PER_SECOND))
  const fits = ZONES.filter((zone) => wanted.every((offset) => offsetsOf(zone).includes(offset)))
  const alike = (zone: string) => new Set(offsetsOf(zone)).size === new Set(wanted).size
  return fits.find(alike) ?? fits[0]
}

function bigIntegerLines({ notes }: Trial): string[] {
  const [first, ...more] = Object.entries(notes.big_integers)
  if (!first) return []
  const [name, count] = first
  const others = more.length > 0 ? `, and ${number(more.length)} more properties,` : ''
  const text = `${inComment(name)}${others} has numbers over 2^53 or 17 digits in ${number(count)} events, which PostHog rounds: as text they stay whole`
  return ['big_integers: string', ...ask(text)]
}

/** Members that the preset knows and can't read in the form in which they are. */
function unreadLines({ notes, read }: Trial): string[] {
  const unusable = Object.entries(notes.unusable).slice(0, MOST_NAMED)
  return unusable.flatMap(([what, count]) =>
    ask(
      `${number(count)} of ${number(read)} records have what the preset can't read: ${inComment(what)}. It is kept as it is, and nothing is made of it: is the export whole, and is this the right preset?`,
    ),
  )
}

/** Keys of groups that the preset does not know for such. */
function groupLines({ roles }: Facts): string[] {
  return roles.groups.flatMap(({ profile: { member, distinct } }) => {
    const type = lastName(member.name).replace(/_?(?:id|key|uuid|name|slug)$/i, '') || 'company'
    const text = `${inComment(member.name)} has ${number(distinct)} values in ${number(member.texts.length)} records, as a group's key has: "groups: { ${inComment(type)}: ${inComment(member.name)} }" makes one of it`
    return ask(text)
  })
}

/** The question of a file by which transform stops, since it rejects too many records. */
export function rejectQuestion({ read, rejected }: Trial): string | undefined {
  if (read === 0 || rejected / read <= USUAL_REJECT_RATIO) return undefined
  const share = `${number(rejected)} of ${number(read)} records (${percentText(rejected, read)}) are rejected`
  return `${share}: transform stops above ${percentText(USUAL_REJECT_RATIO, 1)}. Fill the gaps that are asked about below, or raise --max-reject-ratio to leave these records out?`
}
