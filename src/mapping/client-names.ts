import { memoize } from '../record/text.ts'

/** A table's row: the service's name, then how vendors spell it. The service's own name is always among them. */
type Names = Readonly<Record<string, readonly string[]>>

/** Systems, as the service's libraries name them (user-agent-utils.ts of posthog-js). */
const SYSTEMS: Names = {
  'Mac OS X': ['macOS', 'Mac OS', 'Mac', 'OS X', 'Mac OSX', 'Macintosh', 'MacIntel', 'Darwin'],
  'Chrome OS': ['CrOS', 'Chromium OS'],
  Windows: ['win', 'win32', 'win64', 'Microsoft Windows', 'Windows NT'],
  'Windows Phone': ['WindowsPhone OS'],
  'Windows Mobile': [],
  Linux: ['GNU/Linux', 'Ubuntu', 'Debian', 'Fedora'],
  iOS: ['iPadOS', 'iPhone OS', 'iPhone', 'iPad'],
  watchOS: ['Apple watchOS'],
  Android: ['Android OS'],
  Xbox: [],
  Nintendo: [],
  PlayStation: ['PlayStation 4', 'PlayStation 5'],
  BlackBerry: ['BlackBerry OS'],
}

const BROWSERS: Names = {
  Chrome: ['Google Chrome', 'Chrome Mobile'],
  'Chrome iOS': ['Chrome Mobile iOS', 'CriOS'],
  Safari: [],
  'Mobile Safari': ['Mobile Safari UI/WKWebView', 'Safari Mobile'],
  Firefox: ['Mozilla Firefox', 'Firefox Mobile', 'Mozilla'],
  'Firefox iOS': ['Firefox Mobile iOS', 'FxiOS'],
  'Microsoft Edge': ['Edge', 'MS Edge', 'edge-chromium', 'Edge (Chromium)', 'Edge Mobile'],
  'Internet Explorer': ['IE', 'MSIE'],
  'Internet Explorer Mobile': ['IE Mobile', 'IEMobile'],
  'Samsung Internet': ['Samsung Browser', 'Samsung', 'Samsung Internet for Android'],
  Opera: ['Opera Mobile'],
  'Opera Mini': [],
  'Facebook Mobile': ['Facebook'],
  'UC Browser': ['UCBrowser'],
  'Android Mobile': ['Android Browser'],
  BlackBerry: [],
  Konqueror: [],
  'Oculus Browser': [],
  Vivaldi: [],
  Yandex: ['Yandex Browser', 'YaBrowser'],
  Whale: ['Whale Browser', 'NAVER Whale Browser'],
  DuckDuckGo: ['DuckDuckGo Browser'],
  Brave: ['Brave Browser'],
  'Pale Moon': [],
  Waterfox: [],
  'Google Search App': ['Google Search', 'GSA'],
}

/** What some browsers are called on an iPhone or iPad, where vendors give them the name that they have elsewhere. */
const BROWSERS_ON_IOS: ReadonlyMap<string, string> = new Map([
  ['Safari', 'Mobile Safari'],
  ['Chrome', 'Chrome iOS'],
  ['Firefox', 'Firefox iOS'],
])

const DEVICE_TYPES: Names = {
  Desktop: ['laptop', 'notebook', 'pc', 'computer'],
  Mobile: ['smartphone', 'phablet', 'feature phone', 'mobile phone', 'phone'],
  Tablet: [],
  Console: ['game console', 'gaming console'],
  Wearable: ['smartwatch', 'watch'],
}

/** The numbers of Windows in user agents, and the versions that people know. */
const WINDOWS_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['10.0', '10'],
  ['6.3', '8.1'],
  ['6.2', '8'],
  ['6.1', '7'],
  ['6.0', 'Vista'],
])

const THREE_NUMBERS = new Set(['iOS', 'Android', 'Mac OS X'])

/** A name of the service's, and the version where a vendor writes it beside the name: `Windows 10`, `Chrome 125.0`. */
interface NamedVersion {
  readonly name: string
  readonly version: string | undefined
}

/** The service's name of a system; undefined for one that it has no name for. */
export const systemOf: (text: string) => NamedVersion | undefined = nameReader(SYSTEMS)

const browserNamed = nameReader(BROWSERS)

/** The service's name of a browser on a system; undefined for one that it has no name for. */
export function browserOf(text: string, system: string | undefined): NamedVersion | undefined {
  const known = browserNamed(text)
  if (known === undefined || system !== 'iOS') return known
  return { ...known, name: BROWSERS_ON_IOS.get(known.name) ?? known.name }
}

/** Desktop, Mobile, Tablet, Console or Wearable; undefined for words that are not known. */
export function deviceTypeOf(text: string): string | undefined {
  return DEVICE_TYPE_BY_SPELLING.get(folded(text))
}

/**
 * The version of a system as the service writes it: `10` of `NT 10.0`, `16.5.0` of `16.5` on phones and Macs. Undefined
 * for text that has no number.
 */
export function systemVersionOf(text: string, system: string | undefined): string | undefined {
  const found = /^(?:[a-z ]+ )?(\d+(?:[._]\d+)*)$/i.exec(text.trim())?.[1]?.replaceAll('_', '.')
  if (found === undefined) return undefined
  if (system === 'Windows') return WINDOWS_VERSIONS.get(found) ?? found
  if (system === undefined || !THREE_NUMBERS.has(system)) return found
  const [major, minor = '0', patch = '0'] = found.split('.')
  return `${major}.${minor}.${patch}`
}

/** The version of a browser, which the service keeps as a number: 16.5 of `16.5.1`. Undefined for text without one. */
export function browserVersionOf(text: string): number | undefined {
  const number = /^v?(\d{1,9}(?:\.\d{1,9})?)/i.exec(text.trim())?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Case, blanks and marks differ: `Chrome-OS`, `chromeos`. */
function folded(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '')
}

function bySpelling(names: Names): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(names).flatMap(([name, spellings]) =>
      [name, ...spellings].map((spelling) => [folded(spelling), name] as const),
    ),
  )
}

const DEVICE_TYPE_BY_SPELLING = bySpelling(DEVICE_TYPES)

/** Memoized: such texts are few and recur. */
function nameReader(names: Names): (text: string) => NamedVersion | undefined {
  const spellings = bySpelling(names)
  const read = memoize((text: string): NamedVersion | null => {
    const name = spellings.get(folded(text))
    if (name !== undefined) return { name, version: undefined }
    const [, head, version] = /^(.*\S)\s+v?(\d[\d._]*|XP|Vista)$/i.exec(text.trim()) ?? []
    const beside = head === undefined ? undefined : spellings.get(folded(head))
    return beside === undefined ? null : { name: beside, version }
  })
  return (text) => read(text) ?? undefined
}
