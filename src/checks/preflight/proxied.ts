import { proxyOf } from '../../http/proxy.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'

const say = findingsOf('proxy')

/** The proxies that requests to these addresses go through, without their users and passwords. */
export function proxyFindings(origins: readonly string[]): Finding[] {
  const through = new Map<string, string[]>()
  for (const origin of new Set(origins)) {
    try {
      const proxy = proxyOf(origin)
      const name = proxy && `${proxy.origin} (${proxy.variable})`
      if (name !== undefined) through.set(name, [...(through.get(name) ?? []), origin])
    } catch (error) {
      return [say.error('the proxy is not clear', becauseOf(error))]
    }
  }
  return [...through].map(([name, asked]) => say.note(`${asked.join(', ')}: through the proxy ${name}`))
}
