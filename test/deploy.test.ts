import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { DRAIN_MS } from '../src/drain.ts'
import { EXITS } from '../src/errors.ts'
import { parseMigration } from '../src/migration/migration-file.ts'
import { optionsIn } from './helpers/commands.ts'
import { type Fields, unknownFields, validate } from './helpers/kubernetes.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')
const textOf = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')
const ALL = readdirSync(DEPLOY, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

/** Variables that are not posthaul's own: of the shell, of cron, of Node, of Amazon's library. */
const OTHERS = ['PATH', 'MAILTO', 'TMPDIR', 'AWS_SHARED_CREDENTIALS_FILE']
const SRC = join(import.meta.dirname, '../src')
const source = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(SRC, name), 'utf8'))
  .join('\n')
/** Each secret's variable has a twin that names a file. */
const isRead = (name: string) =>
  OTHERS.includes(name) || new RegExp(`\\b${name.replace(/_FILE$/, '')}\\b`).test(source)

/** Holds the words after `posthaul` against the options of that command. */
async function assertCommand(words: readonly string[]): Promise<void> {
  const options = await optionsIn(words[0]!)
  for (const [at, word] of words.entries()) {
    if (!word.startsWith('-')) continue
    const option = options.find(({ flag }) => flag === word)
    expect(option, `posthaul ${words.join(' ')}: ${word}`).toBeDefined()
    const next = words[at + 1]
    expect(next !== undefined && !next.startsWith('-'), word).toBe(option!.takesValue)
  }
}

/** The words of the commands in a line of a shell. */
function commandsIn(line: string): string[][] {
  return [...line.matchAll(/\bposthaul(?:@\S+)? ((?:[\w./:-]+ ?)+)/g)]
    .map(([, words]) => words!.trim().split(' '))
    .filter(([name]) => ['run', 'import', 'transform', 'verify', 'export', 'check'].includes(name!))
}

describe('deploy/', () => {
  test('holds only what is tested here', () => {
    expect(ALL.map(({ parentPath, name }) => join(parentPath, name).slice(DEPLOY.length + 1)).sort()).toEqual(
      `cron/posthaul.crontab github-actions/migration.yml kubernetes/config.yaml
        kubernetes/cronjob.yaml kubernetes/job.yaml months/import.sh months/kubernetes.yaml
        months/month.sh systemd/posthaul-failed@.service systemd/posthaul-run.service
        systemd/posthaul-run.timer`.split(/\s+/),
    )
  })

  test('cron: five fields and a command a line, and variables that are read', async () => {
    for (const line of textOf('cron/posthaul.crontab').split('\n')) {
      const [, name] = /^([A-Z_]+)=/.exec(line) ?? []
      if (name !== undefined) expect(isRead(name), name).toBe(true)
      // A job that is left out by # is held to the same.
      const entry = line.replace(/^# (?=[\d*])/, '')
      if (name !== undefined || entry === '' || entry.startsWith('#')) continue
      expect(entry).toMatch(/^(?:[\d*/,-]+ ){4}[\d*/,-]+ {2}\S/)
      // cron takes a percent sign for the end of the line.
      expect(entry).not.toContain('%')
      const commands = commandsIn(entry)
      expect(commands).toHaveLength(1)
      for (const words of commands) await assertCommand(words)
    }
  })
})

/** The settings that the units have, by section: a name that systemd does not know is only warned of in a log. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  Unit: ['Description', 'Wants', 'After', 'OnFailure'],
  Service: [
    ...`Type User StateDirectory StateDirectoryMode WorkingDirectory Environment LoadCredential`.split(/\s+/),
    ...['ExecStart', 'SuccessExitStatus', 'TimeoutStopSec', 'NoNewPrivileges', 'PrivateTmp', 'ProtectSystem'],
    'ProtectHome',
  ],
  Timer: ['OnCalendar', 'Persistent', 'RandomizedDelaySec'],
  Install: ['WantedBy'],
}

function unit(name: string): (readonly [setting: string, value: string])[] {
  let section = ''
  return textOf(`systemd/${name}`)
    .split('\n')
    .flatMap((line) => {
      if (line === '' || line.startsWith('#')) return []
      const [, heading] = /^\[(\w+)\]$/.exec(line) ?? []
      if (heading !== undefined) {
        section = heading
        return []
      }
      const [, setting = '', value = ''] = /^(\w+)=(.+)$/.exec(line) ?? []
      expect(SETTINGS[section], `${name}: ${line}`).toContain(setting)
      return [[setting, value] as const]
    })
}

describe('systemd', () => {
  test('the service runs a command that exists, with variables that are read and keys that are loaded', async () => {
    const settings = unit('posthaul-run.service')
    const all = (name: string) => settings.filter(([setting]) => setting === name).map(([, value]) => value)
    const [command = ''] = all('ExecStart')
    await assertCommand(commandsIn(command)[0]!)
    const loaded = all('LoadCredential').map((value) => value.split(':')[0])
    for (const [name = '', value = ''] of all('Environment').map((pair) => pair.split('='))) {
      expect(isRead(name), name).toBe(true)
      if (value.startsWith('%d/')) expect(loaded).toContain(value.slice(3))
    }
    expect(all('OnFailure')).toEqual(['posthaul-failed@%n.service'])
    const codes = Object.values(EXITS).map(({ code }) => String(code))
    expect(codes).toEqual(
      expect.arrayContaining(all('SuccessExitStatus').flatMap((value) => value.split(' '))),
    )
  })

  test('the timer and the unit of a failure have settings that systemd knows', () => {
    expect(unit('posthaul-run.timer').length).toBeGreaterThan(3)
    expect(unit('posthaul-failed@.service').length).toBe(3)
  })
})

/** Kubernetes reads YAML 1.1, in which 0400 is octal. */
const documents = (name: string) =>
  parseAllDocuments(textOf(`kubernetes/${name}`), { version: '1.1' }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

/** The exit codes that a rule of the job names. */
const ruledBy = ({ rules }: { rules: { onExitCodes?: { values: number[] } }[] }) =>
  rules.flatMap(({ onExitCodes }) => onExitCodes?.values ?? [])

type Made = ReturnType<typeof documents>[number]

describe('Kubernetes', () => {
  test.each(['cronjob.yaml', 'job.yaml', 'config.yaml'])(
    '%s: every kind and every field is one of its API',
    (name) => {
      for (const made of documents(name)) {
        expect(unknownFields(made)).toEqual([])
      }
    },
  )

  test('a misspelt field and a wrong type would be seen', () => {
    const [made] = documents('job.yaml')
    const { spec } = made
    expect(unknownFields({ ...made, spec: { ...spec, backofLimit: 3 } })).toEqual(['/spec/backofLimit'])
    expect(() => validate({ ...made, spec: { ...spec, backoffLimit: 'three' } })).toThrow()
  })

  test.each([
    ['cronjob.yaml', (made: Made) => made.spec.jobTemplate.spec],
    ['job.yaml', (made: Made) => made.spec],
  ])(
    "%s: the pod is strict, its words are posthaul's, and its exit codes have a rule",
    async (name, specOf) => {
      const [made] = documents(name)
      const { template, podFailurePolicy } = specOf(made)
      const pod = template.spec
      const [container] = pod.containers
      await assertCommand(container.args)
      // A registry's host would have a dot in it.
      expect(container.image).toMatch(/^posthaul:\d+\.\d+\.\d+$/)
      expect(pod.restartPolicy).toBe('Never')
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(DRAIN_MS / 1000)
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 10001 })
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      })
      const keys = pod.volumes.find(({ name }: Fields) => name === 'keys')
      expect(keys).toMatchObject({ secret: { defaultMode: 0o400 } })
      const [, secret] = documents('config.yaml')
      const held = Object.keys(secret.stringData)
      const places = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
      for (const { name: variable, value } of container.env) {
        expect(isRead(variable), variable).toBe(true)
        if (value.startsWith('/keys/')) expect(held).toContain(value.slice('/keys/'.length))
        if (value.startsWith('/'))
          expect(
            places.some((place: string) => value.startsWith(place)),
            value,
          ).toBe(true)
      }
      expect(places).toContain(container.workingDir)
      const ruled = ruledBy(podFailurePolicy)
      const codes = Object.values(EXITS).map(({ code }) => code as number)
      // 0 is success, and 5 is tried again a few times.
      expect([...ruled, 0, 5].sort()).toEqual([...codes].sort())
    },
  )

  test('months/kubernetes.yaml: fields of its API, variables that are read, and the script that is mounted', () => {
    const made = parse(textOf('months/kubernetes.yaml'))
    expect(unknownFields(made)).toEqual([])
    const [container] = made.spec.template.spec.containers
    const script = textOf(container.command[1].slice(1))
    for (const { name } of container.env)
      expect(isRead(name) || script.includes(`$${name}`) || script.includes(`\${${name}`), name).toBe(true)
    const ruled = ruledBy(made.spec.podFailurePolicy)
    const codes = Object.values(EXITS).map(({ code }) => code as number)
    // 0 is success; what is left is tried again a few times.
    expect(codes.filter((code) => !ruled.includes(code)).sort()).toEqual([0, 1, 5, 7])
    expect(codes).toEqual(expect.arrayContaining(ruled))
  })

  test.each(['month.sh', 'import.sh'])("months/%s: its words are posthaul's", async (name) => {
    const lines = textOf(`months/${name}`)
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
    for (const line of lines) {
      const [, command, rest = ''] = /^ *posthaul (\w+) ([^|]*)/.exec(line) ?? []
      if (command === undefined) continue
      const known = (await optionsIn(command === 'export' ? 'export mixpanel' : command)).map(
        ({ flag }) => flag,
      )
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(known, `${command} ${flag}`).toContain(flag)
    }
  })

  test('the migration in the ConfigMap is one, and the secret has no values', () => {
    const [config, secret] = documents('config.yaml')
    const text = config.data['migration.yaml']
    expect(parseMigration(text, 'migration.yaml', {}).store).toMatchObject({ at: 's3://history/migration' })
    expect(new Set(Object.values(secret.stringData))).toEqual(new Set(['']))
  })
})

test("GitHub Actions: a job that ends in time, one at a time, whose words and variables are posthaul's", async () => {
  const { on, concurrency, jobs } = parse(textOf('github-actions/migration.yml'))
  const { steps, 'timeout-minutes': minutes } = jobs.run
  const { run, env } = steps.at(-1)
  expect(on.schedule[0].cron).toMatch(/^(?:[\d*/,-]+ ){4}[\d*/,-]+$/)
  expect(concurrency['cancel-in-progress']).toBe(false)
  const [words] = commandsIn(run)
  await assertCommand(words!)
  const hours = Number(/^(\d+)h$/.exec(words![words!.indexOf('--stop-after') + 1]!)![1])
  expect(hours * 60).toBeLessThan(minutes)
  for (const [name, value] of Object.entries(env)) {
    expect(isRead(name), name).toBe(true)
    expect(name === 'AWS_REGION' || value === `\${{ secrets.${name} }}`).toBe(true)
  }
})
