import { EXIT, PosthaulError, SIGNALS } from '../../errors.ts'
import { type Stage, shellWord } from '../../text/index.ts'

/** How often a task is tried. */
const TRIES = 10
/** Exit codes after which the same task would fail the same way: it is not tried again. */
const FINAL_CODES = [EXIT.usage, EXIT.auth, EXIT.mismatch]
/** Exit codes of a task that was told to stop. */
const STOPPED_CODES = Object.values(SIGNALS)

/** What a makefile of a fleet says. */
export interface MakefileRequest {
  /** The plan's id. */
  readonly plan: string
  /** Where the plan is: a folder, or `s3://…` with its endpoint. */
  readonly out: string
  readonly stages: readonly Stage[]
  /** How many tasks each stage has. */
  readonly tasks: number
  /** Where tasks keep work files; undefined for the place of all work files. */
  readonly workDir: string | undefined
}

/**
 * A makefile for one big machine, and what its user does with it, a line each. No target is a file: the place of the plan
 * knows which tasks are done. Code `usage` for a path that would end a line.
 */
export function makefileOf(request: MakefileRequest): {
  readonly text: string
  readonly next: readonly string[]
} {
  assertOneLine(request)
  const { plan, stages, tasks } = request
  const byParallel = stages.map(
    (stage) => `seq 0 ${tasks - 1} | parallel -j4 make -f posthaul.mk ALONE=1 ${stage}-{}`,
  )
  const next = [
    'make -f posthaul.mk -j4',
    '# or by GNU parallel, stage by stage:',
    ...byParallel,
    'make -f posthaul.mk ALONE=1 finish',
  ]
  const head = [`posthaul plan ${plan.slice(0, 8)}: ${tasks} tasks a stage`, '', ...next]
    .map((line) => `# ${line}`.trimEnd())
    .join('\n')
  const text = `${head}

SHELL := /bin/sh
POSTHAUL ?= posthaul
INDEXES := $(shell seq 0 ${tasks - 1})
.DEFAULT_GOAL := finish
.PHONY: finish ${stages.join(' ')}

${TRY}

${stages.map((stage, at) => stageRules(stage, stages[at - 1], request)).join('\n')}
ifndef ALONE
finish: ${stages.at(-1)}
endif
finish:
\t@what=finish; ${recipeOf('finish', request)}
`
  return { text, next }
}

/** Tries \`task\`, a function of the recipe's shell. 9 is what a makefile knows as an ordinary end of a line. */
const TRY = `# Tries a task until it is done. ${FINAL_CODES.join(', ')}: it would fail the same way again. ${STOPPED_CODES.join(', ')}: it was told to stop.
define TRY
try=1; \\
while :; do \\
  code=0; task || code=$$?; \\
  case $$code in 0|${[...FINAL_CODES, ...STOPPED_CODES].join('|')}) exit $$code ;; esac; \\
  [ $$try -lt ${TRIES} ] || exit $$code; \\
  echo "$$what ended with $$code: try $$try of ${TRIES}" >&2; \\
  sleep $$((1 << try)); \\
  try=$$((try + 1)); \\
done
endef`

function stageRules(stage: Stage, before: Stage | undefined, request: MakefileRequest): string {
  const list = stage.toUpperCase()
  const order = before === undefined ? '' : `ifndef ALONE\n$(${list}): ${before}\nendif\n`
  return `${list} := $(addprefix ${stage}-,$(INDEXES))
.PHONY: $(${list})
${stage}: $(${list})
${order}$(${list}): ${stage}-%:
\t@what=$@; ${recipeOf(stage, request)}
`
}

function recipeOf(stage: Stage | 'finish', { out, workDir }: MakefileRequest): string {
  // A make sees its own variables in a dollar sign.
  const word = (text: string) => shellWord(text).replaceAll('$', '$$$$')
  const place = ['--out', word(out)]
  const work = workDir === undefined ? [] : ['--work-dir', word(workDir)]
  const words = stage === 'finish' ? ['finish', ...place] : ['run', stage, '--index', '$*', ...place, ...work]
  // Rejects are data: it is done.
  const rejects = stage === 'finish' ? ` || [ $$? -eq ${EXIT.rejects} ]` : ''
  return `task() { $(POSTHAUL) fleet ${words.join(' ')}${rejects}; }; $(TRY)`
}

function assertOneLine({ out, workDir }: MakefileRequest): void {
  for (const [flag, value] of Object.entries({ '--out': out, '--work-dir': workDir })) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (value === undefined || !/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(value)) continue
    throw new PosthaulError(`${flag} has a line break or another control character`, {
      code: 'usage',
      hint: 'use a path without it: a makefile is made of lines',
    })
  }
}
