import { readFileSync } from 'node:fs'
import { tableSql, type VendorRow } from './vendor-rows.ts'

interface Action {
  readonly type: string
  readonly url?: string
  readonly pageId: number
  readonly timestamp: number
  readonly [name: string]: unknown
}

export interface Visit {
  readonly idSite: number
  readonly idVisit: number
  readonly visitorId: string
  readonly userId: string | null
  readonly firstActionTimestamp: number
  readonly countryCode: string
  readonly actionDetails: readonly Action[]
}

/** How Matomo numbers what is in log_action (Tracker/Action.php). */
const KINDS = {
  ...{ page: 1, outlink: 2, download: 3, title: 4, search: 8, category: 10, action: 11, event: 12 },
  ...{ contentName: 13, contentPiece: 14, contentTarget: 15, contentInteraction: 16 },
}
/** Tracker/PageUrl.php. */
const PREFIXES = ['http://', 'http://www.', 'https://', 'https://www.']
/** What an action has beside its address and title: its member in the API, the column, the kind. */
const MEMBERS = [
  ['eventCategory', 'idaction_event_category', KINDS.category],
  ['eventAction', 'idaction_event_action', KINDS.action],
  ['contentName', 'idaction_content_name', KINDS.contentName],
  ['contentPiece', 'idaction_content_piece', KINDS.contentPiece],
  ['contentTarget', 'idaction_content_target', KINDS.contentTarget],
  ['contentInteraction', 'idaction_content_interaction', KINDS.contentInteraction],
] as const
const NAMES = [
  ['pageTitle', KINDS.title],
  ['siteSearchKeyword', KINDS.search],
  ['eventName', KINDS.event],
] as const

const NUMBER = 'INT UNSIGNED NULL'
const LINKS = {
  ...{
    idlink_va: 'BIGINT UNSIGNED NOT NULL PRIMARY KEY',
    idsite: 'INT UNSIGNED NOT NULL',
    idvisitor: 'BINARY(8) NOT NULL',
  },
  ...{
    idvisit: 'BIGINT UNSIGNED NOT NULL',
    idaction_url: NUMBER,
    idaction_name: NUMBER,
    custom_float: 'DOUBLE NULL',
  },
  ...{
    pageview_position: 'MEDIUMINT UNSIGNED',
    server_time: 'DATETIME NOT NULL',
    idpageview: 'CHAR(6) NULL',
  },
  ...Object.fromEntries(MEMBERS.map(([, column]) => [column, NUMBER])),
}
const VISITS = {
  ...{
    idvisit: 'BIGINT UNSIGNED NOT NULL PRIMARY KEY',
    idsite: 'INT UNSIGNED NOT NULL',
    idvisitor: 'BINARY(8) NOT NULL',
  },
  ...{ user_id: 'VARCHAR(200) NULL', visit_first_action_time: 'DATETIME NOT NULL' },
  ...{ location_country: 'CHAR(3) NULL', location_city: 'VARCHAR(255) NULL' },
}
const ACTIONS = {
  idaction: 'INT UNSIGNED NOT NULL PRIMARY KEY',
  name: 'VARCHAR(4096)',
  hash: 'INT UNSIGNED',
  type: 'TINYINT UNSIGNED',
  url_prefix: 'TINYINT NULL',
}

/** A visit of a user, with an action of each kind that the tables hold. */
export const ALL_KINDS: Visit = {
  ...{
    idSite: 1,
    idVisit: 950,
    visitorId: '00000000000abcff',
    userId: 'ada',
    firstActionTimestamp: 1709290800,
    countryCode: 'at',
  },
  actionDetails: [
    {
      type: 'action',
      url: 'http://www.shop.example.com/a?b=1',
      pageTitle: 'Ada\'s "page"',
      idpageview: 'aaaaaa',
      pageviewPosition: 1,
    },
    {
      type: 'action',
      url: 'app://shop/screen',
      pageTitle: 'Screen',
      idpageview: 'bbbbbb',
      pageviewPosition: 2,
    },
    { type: 'search', siteSearchKeyword: 'schöne Lampe', idpageview: 'cccccc' },
    { type: 'outlink', url: 'https://elsewhere.example/x', idpageview: 'aaaaaa' },
    { type: 'download', url: 'https://shop.example.com/f.pdf', idpageview: 'aaaaaa' },
    {
      type: 'event',
      url: 'https://shop.example.com/',
      eventCategory: 'Video',
      eventAction: 'Stop',
      eventName: 'Intro',
      eventValue: 2.5,
    },
    {
      type: 'content',
      url: 'https://shop.example.com/',
      contentName: 'Ad',
      contentPiece: 'ad.jpg',
      contentTarget: 'https://ad.example/',
    },
    { type: 'content', url: 'https://shop.example.com/', contentName: 'Ad', contentInteraction: 'click' },
  ].map((action, at) => ({ ...action, pageId: 9500 + at, timestamp: 1709294400 + at * 10 })),
}

/** Visits of the walk, as Matomo's API gives them. */
export function matomoVisits(): readonly Visit[] {
  const file = new URL('../../fixtures/matomo/walk/visits-2024-03-01.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Visit[]
}

/** Statements that make Matomo's tables of visits, their actions written as in UTC by a site an hour ahead of it. */
export function matomoSql(visits: readonly Visit[]): readonly string[] {
  const actions = new Map<string, VendorRow>()
  const idOf = (name: unknown, type: number, prefix?: number) => {
    if (name === undefined) return null
    const key = JSON.stringify([name, type])
    if (!actions.has(key))
      actions.set(key, { idaction: actions.size + 1, name, hash: 0, type, url_prefix: prefix ?? null })
    return actions.get(key)!.idaction
  }
  const links = visits.flatMap((visit) =>
    visit.actionDetails
      .filter(({ type }) => type !== 'goal')
      .map((action): VendorRow => {
        const { type, url, pageId, timestamp } = action
        // The longest one that fits: https://www. before https://.
        const prefix = url === undefined ? -1 : PREFIXES.findLastIndex((one) => url.startsWith(one))
        const kind = type === 'outlink' ? KINDS.outlink : type === 'download' ? KINDS.download : KINDS.page
        const name = NAMES.find(([member]) => action[member] !== undefined)
        return {
          ...{ idlink_va: pageId, idsite: visit.idSite, idvisitor: visit.visitorId, idvisit: visit.idVisit },
          idaction_url: idOf(
            url?.slice(PREFIXES[prefix]?.length ?? 0),
            kind,
            prefix < 0 ? undefined : prefix,
          ),
          idaction_name: name === undefined ? null : idOf(action[name[0]], name[1]),
          ...{
            custom_float: action.eventValue,
            pageview_position: action.pageviewPosition,
            idpageview: action.idpageview,
          },
          server_time: new Date((timestamp - 3600) * 1000).toISOString().slice(0, 19).replace('T', ' '),
          ...Object.fromEntries(
            MEMBERS.map(([member, column, type]) => [column, idOf(action[member], type)]),
          ),
        }
      }),
  )
  const rows = visits.map((visit) => ({
    ...{ idvisit: visit.idVisit, idsite: visit.idSite, idvisitor: visit.visitorId, user_id: visit.userId },
    visit_first_action_time: new Date(visit.firstActionTimestamp * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' '),
    location_country: visit.countryCode,
  }))
  const form = { quote: '`' } as const
  const statements = [
    ...tableSql('piwik_log_visit', VISITS, rows, form),
    ...tableSql('piwik_log_link_visit_action', LINKS, links, form),
    ...tableSql('piwik_log_action', ACTIONS, [...actions.values()], form),
  ]
  return statements.map((sql) => sql.replaceAll(/'([0-9a-f]{16})'/g, "x'$1'"))
}
