import type { TestResult } from './result.ts'

/** Results as JUnit XML, which CI servers read: a suite for each file. */
export function junitXml({ tests }: TestResult): string {
  const files = [...new Set(tests.map(({ file }) => file))]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="posthaul test">',
    ...files.flatMap((file) =>
      suite(
        file,
        tests.filter((test) => test.file === file),
      ),
    ),
    '</testsuites>',
    '',
  ].join('\n')
}

function suite(file: string, tests: TestResult['tests']): string[] {
  const of = (red: (test: TestResult['tests'][number]) => boolean) => tests.filter(red).length
  const failures = of((test) => test.outcome === 'failed' && test.error === null)
  const errors = of((test) => test.error !== null)
  return [
    `  <testsuite name="${escaped(file)}" tests="${tests.length}" failures="${failures}" errors="${errors}">`,
    ...tests.flatMap(testCase),
    '  </testsuite>',
  ]
}

function testCase({
  name,
  file,
  outcome,
  differences,
  messages,
  error,
}: TestResult['tests'][number]): string[] {
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}"`
  if (outcome !== 'failed') return [`${head}/>`]
  const lines = differences.map(differenceText)
  const [tag, message] = error === null ? ['failure', lines[0] ?? ''] : ['error', error]
  return [
    `${head}>`,
    `      <${tag} message="${escaped(message)}">${escaped([...lines, ...messages].join('\n'))}</${tag}>`,
    '    </testcase>',
  ]
}

/** `properties.plan: expected "pro", came out none`. */
export function differenceText({
  member,
  expected,
  came_out,
}: TestResult['tests'][number]['differences'][number]): string {
  return `${member}: expected ${expected ?? 'none'}, came out ${came_out ?? 'none'}`
}

/** Control characters that XML can't hold become spaces, as lone surrogates do. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
