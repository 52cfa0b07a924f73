import { type ComponentType, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { Code, shortName } from '../../src/html/kit/parts.tsx'
import { TableView } from '../../src/html/kit/table.tsx'
import { percent, shortNumber } from '../../src/html/kit/words.ts'

const HOSTILE = '</title><script>alert(1)</script>"\'><img src=x onerror=alert(1)>'

function html<P extends object>(component: ComponentType<P>, props: NoInfer<P>): string {
  return renderToString(h(component, props))
}

test('tables escape what they show, and separate thousands', () => {
  const columns = [{ label: 'name' }, { label: 'n', align: 'right' as const }]
  const page = [
    html(TableView, { caption: 'c', columns, rows: [[HOSTILE, 1234]] }),
    html(Code, { text: `${HOSTILE}\u0000\nsecond line` }),
  ].join('')
  expect(page).toContain('1,234')
  expect(page).toContain('␀\nsecond line')
  expect(page).not.toMatch(/<(script|img)| style=/)
})

test('a percentage is whole only if the share is, and axis numbers are short', () => {
  expect([0, 0.0001, 0.25, 0.999, 0.99999, 1, Number.NaN].map(percent)).toEqual([
    '0%',
    '<0.1%',
    '25%',
    '99.9%',
    '>99.9%',
    '100%',
    '–',
  ])
  expect([0, 9999, 10_000, 1_500_000, 2e9].map(shortNumber)).toEqual(['0', '10K', '10K', '1.5M', '2B'])
})

test('a name is cut by letters, and what can not be seen is shown', () => {
  expect(shortName('a\u0000b\u202e\ud800')).toBe('a␀b\\u{202e}\\u{d800}')
  expect(shortName('🚀'.repeat(100), 4)).toBe('🚀🚀🚀…')
  expect(shortName('x'.repeat(1e6), 5)).toBe('xxxx…')
})
