import { isCount } from './fitness.ts'
import { lastName, plain } from './member.ts'
import type { Profile } from './profiles-of.ts'
import type { Roles } from './roles.ts'

/** Measures that stand beside counts. */
const MEASURE =
  /(?:duration|rate|average|avg|percent|share|bounce|depth|time|revenue|per(?:user|session|visit))/
/** A report with a column for each day. */
const DAY_NAME = /^\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.Z]+)?$|^(?:[A-Z][a-z]{2} \d{1,2}(?:, \d{4})?)$/
const MIN_COUNTS = 2

/** The columns of rows that sum up a day, a page or a source; empty for rows that are no sums. */
export function countsOf(profiles: readonly Profile[], { distinct_id: person, uuid }: Roles): Profile[] {
  if (person || uuid?.isSure) return []
  const filled = profiles.filter(({ member }) => member.texts.length > 0)
  const counts = filled.filter(
    (one) => isCount(one) || (one.kind.kind === 'number' && DAY_NAME.test(one.member.name)),
  )
  const others = filled.filter(
    (one) => one.kind.kind === 'number' && !counts.includes(one) && MEASURE.test(plain(one.member.name)),
  )
  const isOfOne = filled.some(({ kind, distinct, member }) => {
    return ['email', 'UUID', 'user agent'].includes(kind.kind) && distinct > member.texts.length / 2
  })
  return isOfOne || counts.length === 0 || counts.length + others.length < MIN_COUNTS ? [] : counts
}

/** Times of a person's life: they tell when somebody came, and nothing that happened. */
const OF_LIFE =
  /^(?:(?:user|customer|contact|account|member|person|lead|profile)?(?:created?|updated?|modified|changed|registered|signedup|signup|joined|subscribed|optin|added|lastseen|lastlogin|lastactive|firstseen|birth|birthday|dateofbirth|dob|registration|creation|lastmodified|lastupdated|confirm|optintime|confirmtime)(?:at|on|date|time|day)?|date(?:created|added|joined|registered|ofbirth)|membersince|geburtsdatum|geburtstag|angelegtam|erstelltam|registriertam)$/
const PERSONS_NAME =
  /^(?:(?:first|last|full|display|given|family|middle|user|sur|contact|customer)?name|vorname|nachname|nom|prenom|nombre|apellidos?)$/
const PERSON_OF = /^(?:signups?|waitlist|crm|audience|newsletter|accounts?|mailchimp|hubspot|employees|team)/i
/** What only a row that happened has. */
const HAPPENED =
  /^(?:total|amount|price|quantity|subtotal|order|orderid|ordernumber|invoice|currency|sku|status|url|page)/

/**
 * True where a row says who somebody is: no member names an event surely, a unique e-mail stands beside a name of people, and
 * all times are of a person's life.
 */
export function arePeople(
  profiles: readonly Profile[],
  { event }: Roles,
  table: string | undefined,
): boolean {
  if (event?.isSure) return false
  const filled = profiles.filter(({ member }) => member.texts.length > 0)
  const times = filled.filter(({ kind }) => kind.kind === 'time')
  const called = (pattern: RegExp) =>
    filled.filter(({ member }) => pattern.test(plain(lastName(member.name))))
  const names = called(PERSONS_NAME).filter(({ member }) =>
    member.texts.every((text) => !/[\d@#]/.test(text)),
  )
  const isUnique = ({ member, distinct }: Profile) => distinct >= member.texts.length * 0.95
  return (
    filled.some((one) => one.kind.kind === 'email' && isUnique(one)) &&
    names.length > 0 &&
    times.every(({ member }) => OF_LIFE.test(plain(lastName(member.name)))) &&
    (PERSON_OF.test(table ?? '') || called(HAPPENED).length === 0)
  )
}
