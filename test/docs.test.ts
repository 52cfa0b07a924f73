import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WORDS } from '../src/checks/words/problem-words.ts'
import { RESULTS } from '../src/commands/results.ts'
import { EXITS } from '../src/errors.ts'
import { GUARDS } from '../src/guards/guards.ts'
import { parseMapping } from '../src/mapping/mapping-file.ts'
import { parseConfig } from '../src/options/config-file.ts'
import { hasFile, VARIABLES, type Variable } from '../src/options/environment.ts'
import { PRESET_NAMES } from '../src/presets/index.ts'
import { fold } from '../src/text/fold.ts'
import { runCommand } from './helpers/command.ts'
import { COMMANDS, pathOf as pathTo } from './helpers/commands.ts'
import { testFolder } from './helpers/folder.ts'
import { blocksOf, codeSpansOf, commandLinesIn, PAGES, pageText, proseOf, ROOT } from './helpers/markdown.ts'
import { namesOf, resultList } from './helpers/result-table.ts'

const JSON_PAGE = 'docs/exit-codes-and-json.md'

/** The words that lead to the command whose options these are. */
const GROUPS_OF_COMMANDS = ['export', 'groups', 'projects']
const pathOf = (words: readonly string[]) =>
  words.slice(0, GROUPS_OF_COMMANDS.includes(words[0]!) ? 2 : 1).filter((word) => /^[a-z-]+$/.test(word))

const helps = new Map<string, Promise<string>>()
function helpOf(path: readonly string[]): Promise<string> {
  const name = path.join(' ')
  if (!helps.has(name))
    helps.set(
      name,
      runCommand([...path, '--help', '--all']).then(({ code, stdout, stderr }) => {
        if (code !== 0) throw new Error(`posthaul ${name} --help: ${stderr}`)
        return stdout
      }),
    )
  return helps.get(name)!
}
const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)

const ALL_FLAGS = flagsIn((await Promise.all(COMMANDS.map((name) => helpOf(pathTo(name))))).join('\n'))

describe.each(PAGES)('%s', (page) => {
  test('a block is a known language, and no command hides in an indented one', () => {
    const languages = blocksOf(page).map(({ language }) => language)
    expect(['sh', 'yaml', 'json', 'ini', 'crontab', 'ts', 'js', 'sql']).toEqual(
      expect.arrayContaining(languages),
    )
    expect(proseOf(page)).not.toMatch(/^ {4}(\$ )?(posthaul|npx|npm|tool|node) /m)
  })

  test('every command and every option in it exist', async () => {
    const blocks = blocksOf(page).map(({ text }) => text)
    const spans = codeSpansOf(page).filter((span) => /^(npx )?(posthaul|tool) /.test(span))
    for (const words of commandLinesIn([...blocks, ...spans].join('\n'))) {
      if (words[0] === 'help' || words[0]!.startsWith('-')) continue
      const help = await helpOf(pathOf(words))
      for (const flag of flagsIn(words.join(' ')))
        expect(flagsIn(help), `posthaul ${words.join(' ')}`).toContain(flag)
    }
  })

  test('every option that its prose names exists', () => {
    const flags = codeSpansOf(page)
      .filter((span) => span.startsWith('--'))
      .flatMap(flagsIn)
    expect(ALL_FLAGS).toEqual(expect.arrayContaining(flags))
  })

  test('links lead somewhere', () => {
    for (const [, target] of proseOf(page).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target!)) continue
      const [path, anchor] = target!.split('#')
      const file = path === '' ? page : join(dirname(page), path!)
      expect(existsSync(join(ROOT, file)), target).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(file), target).toContain(anchor)
    }
  })

  test('mapping files and settings in it are valid', () => {
    for (const { language, illustration, text, line } of blocksOf(page)) {
      if (illustration) continue
      if (language === 'yaml') parseMapping(text, `${page}:${line}`)
      if (language === 'json') parseConfig(text, `${page}:${line}`, {})
    }
  })
})

/** The mapping files of the pages, each with its tests where they are a block of their own after it. */
const MAPPING_FILES = PAGES.flatMap((page) => {
  const blocks = blocksOf(page).filter(({ language, illustration }) => language === 'yaml' && !illustration)
  return blocks.flatMap(({ text, line }, at) => {
    // What doesn't say where names, people and times are is a fragment.
    if (!/^(preset|fields|columns):/m.test(text)) return []
    const next = blocks[at + 1]?.text ?? ''
    return [[`${page}:${line}`, text, /^(options|tests):/.test(next) ? next : undefined] as const]
  })
})

test.each(MAPPING_FILES)('the mapping file of %s has tests, and they pass', async (_, text, tests) => {
  const folder = testFolder()
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  write('mapping.yaml', text)
  if (tests !== undefined) write('mapping.test.yaml', tests)
  const { columns } = parseMapping(text, 'mapping.yaml')
  const header = /^columns_from: (.*)$/m.exec(text)?.[1]
  if (header !== undefined) write(header, Object.keys(columns.columns).join('\t'))
  const { code, stdout, stderr } = await runCommand(['test', join(folder, 'mapping.yaml')])
  expect(code, stdout + stderr).toBe(0)
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('the pages of docs/ begin with what they are for, and their index links each', () => {
  for (const page of PAGES.filter((name) => name.startsWith('docs/'))) {
    expect(pageText(page), page).toMatch(
      page.startsWith('docs/decisions/')
        ? /^# .*\n\n(\*\*Decision\.\*\*|A page each) /
        : /^# .*\n\nThis page /,
    )
    // A folder's README lists its pages; that of docs/ lists such folders too.
    const folder = dirname(page)
    if (page === 'docs/README.md') expect(pageText('README.md')).toContain(`](${page})`)
    else if (basename(page) === 'README.md')
      expect(pageText('docs/README.md')).toContain(`](${relative('docs', page)})`)
    else expect(pageText(`${folder}/README.md`)).toContain(`](${basename(page)})`)
  }
})

test('README leads to what runs from a checkout, and to a first command, in 25 lines', () => {
  const top = pageText('README.md').split('\n').slice(0, 25).join('\n')
  expect(top).toContain('\nnpm ci && npx posthaul demo')
  expect(top).toContain('\nnpm ci && npm test')
  expect(top).toContain('\nnpx posthaul init ')
})

test('the page on identity knows every preset', () => {
  for (const name of PRESET_NAMES) {
    expect(pageText('docs/identity.md')).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|`, 'm'))
  }
})

test('README and docs/ together stay short', () => {
  const pages = PAGES.filter((page) => page === 'README.md' || page.startsWith('docs/'))
  const words = pages.flatMap((page) =>
    pageText(page)
      .split(/\s+/)
      .filter((word) => word !== ''),
  )
  expect(words.length).toBeLessThanOrEqual(35_000)
  expect(pageText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})

test('exit codes are those of the program, one row each', () => {
  const rows = Object.entries(EXITS).map(
    ([name, { code, meaning }]) => `| ${code} | \`${name}\` | ${meaning} |`,
  )
  expect(pageText(JSON_PAGE)).toContain(`\n${rows.join('\n')}\n\n`)
})

test('the tables of summaries and of problems are made of the program; -u writes them', async () => {
  const made = pageText(JSON_PAGE)
    .replace(/(?<=<!-- results -->\n).*(?=\n<!-- \/results -->)/s, () => resultList())
    .replace(/(?<=<!-- problems -->\n).*(?=\n<!-- \/problems -->)/s, () => problemTable())
  expect(made).toContain('| error | document |')
  await expect(made).toMatchFileSnapshot(join(ROOT, JSON_PAGE))
})

test('help lists the same exit codes', async () => {
  const { stdout } = await runCommand(['help', 'exit-codes'])
  for (const [name, { code, meaning }] of Object.entries(EXITS))
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(` ${code} ${name} ${meaning.replaceAll('`', '')}`)
})

test('every environment variable has its row, and no other has', () => {
  const row = (variable: Variable) =>
    `- \`${variable.name}\`${hasFile(variable) ? ' (file)' : ''}: ${variable.help}`
  const items = pageText('docs/environment.md').replaceAll(/\n {2}(?=\S)/g, ' ')
  const rows = [...items.matchAll(/^- `.*$/gm)].map(([line]) => line)
  expect(rows).toEqual(VARIABLES.map(row))
})

test('every reason of a reject is explained, and no other', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/^(sandbox|cli|commands|imports)\W/.test(path),
  )
  const text = sources.map((path) => readFileSync(join(ROOT, 'src', path), 'utf8')).join('\n')
  const made = [...text.matchAll(/(?:reason: |Rejection\(\s*|rejectOf\(\w+, )'([a-z_]+)'/g)].map(
    ([, reason]) => reason!,
  )
  const list = pageText('docs/rejects.md').split('\n## Count them by reason\n')[1]!.split('\n## ')[0]!
  const explained = [...list.matchAll(/^- (.*?): /gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([a-z_]+)`/g)].map(([, reason]) => reason!),
  )
  expect(made.length).toBeGreaterThan(25)
  expect(made.filter((reason) => !explained.includes(reason))).toEqual([])
  // One ending is put together with the name of the member that is wrong.
  const known = (reason: string) =>
    new RegExp(`'${reason}'|\\b${reason}:`).test(text) || reason.endsWith('_not_an_object')
  expect(explained.filter((reason) => !known(reason))).toEqual([])
})

test('the list of findings is made of the guards; -u writes it', async () => {
  const items = GUARDS.flatMap(({ codes, restsOn }) =>
    Object.entries(codes).map(([code, { level, means, remedy, accepted }]) =>
      [
        `- **\`${code}\`** (${level}, ${restsOn}): ${means}.`,
        `*Do:* ${remedy}.`,
        ...(accepted === undefined ? [] : [`*Accepted:* ${accepted}.`]),
      ].join('\n  '),
    ),
  )
  const made = pageText('docs/findings.md').replace(
    /(?<=<!-- findings -->\n).*(?=<!-- \/findings -->)/s,
    () => `${items.join('\n')}\n`,
  )
  expect(made).toContain(items.at(-1))
  await expect(made).toMatchFileSnapshot(join(ROOT, 'docs/findings.md'))
})

test('--accept takes the codes of guards that can be accepted; -u writes them', async () => {
  const codes = GUARDS.flatMap((guard) => Object.entries(guard.codes))
  const accepted = codes.flatMap(([code, { accepted }]) => (accepted === undefined ? [] : [code])).sort()
  expect(accepted.length).toBeGreaterThan(20)
  const made = pageText('src/guards/accept.ts').replace(/(?<=choices: `\n).*?(?=`\n)/s, () =>
    fold(accepted.join(' '), '    ', '    ', 120).join('\n'),
  )
  await expect(made).toMatchFileSnapshot(join(ROOT, 'src/guards/accept.ts'))
})

/** The codes of what `check` finds, by level and by what they rest on. */
function problemTable(): string {
  const rows = ['error', 'warning', 'note'].flatMap((level) =>
    ['data', 'document', 'project'].flatMap((basis) => {
      const all = Object.entries(WORDS).filter(([, one]) => one.level === level && one.restsOn === basis)
      const codes = all.map(([code]) => `\`${code}\``).sort()
      return codes.length === 0 ? [] : [`| ${level} | ${basis} | ${codes.join(', ')} |`]
    }),
  )
  return `| level | rests on | codes |\n|---|---|---|\n${rows.join('\n')}`
}

/** The sandbox's page names files of PostHog's too. */
const ROOMS = readdirSync(join(ROOT, 'src'))
  .filter((room) => room !== 'sandbox')
  .map((room) => `src/${room}/README.md`)
  .filter((page) => existsSync(join(ROOT, page)))
const filesNamedBy = (page: string) =>
  codeSpansOf(page)
    .map((span) => span.replaceAll('<vendor>', 'amplitude'))
    .filter((span) => /^[\w@.-]+(\/[\w@.-]*)+$|^[\w-]+\.(ts|md|json|js)$/.test(span))

test.each(['CONTRIBUTING.md', 'src/README.md', ...ROOMS])('every path that %s names exists', (page) => {
  const paths = filesNamedBy(page)
  expect(paths.length).toBeGreaterThan(5)
  // Files that the program writes.
  const written = ['manifest.json', 'export.json', '/batch/']
  for (const path of paths.filter((name) => !written.includes(name))) {
    const places = [dirname(page), 'src', '.'].map((base) => join(ROOT, base, path))
    expect(places.some(existsSync), `${page} names ${path}`).toBe(true)
  }
})

test('the story of src/README.md needs few files: the pages of the rooms name the others', () => {
  const files = new Set(filesNamedBy('src/README.md').filter((path) => path.endsWith('.ts')))
  expect([...files].length, [...files].join(' ')).toBeLessThanOrEqual(25)
})

test('what is said below the table of members names members that there are', () => {
  const below = pageText(JSON_PAGE).split('<!-- /results -->')[1]!.split('\nThe codes of problems,')[0]!
  let head: string[] = []
  const strange = below.split(/\n\n|\n(?=- )/).flatMap((text) => {
    const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span!)
    const commands = spans.map((span) => span.split(' --')[0]!).filter((span) => span in RESULTS)
    const words = spans.filter(
      (span) => /^[a-z_]+(\.[a-z_]+)*$/.test(span) && span !== 'null' && !span.endsWith('.json'),
    )
    if (/^Of .*:$/.test(text)) head = commands
    const known = [...commands, ...(text.startsWith('- ') ? head : [])]
    const names = (known.length > 0 ? known : Object.keys(RESULTS)).map(namesOf)
    return words
      .filter(
        (word) =>
          !(word in RESULTS) && !names.some(({ members, words }) => members.has(word) || words.has(word)),
      )
      .map((word) => `${word}: ${text.trim().slice(0, 60)}`)
  })
  expect(strange).toEqual([])
})
