/** Plans and steps in words for people: `plinth plan`, refusals of a start, and changes that were given up. */
import type { Catalog } from '../catalog/catalog.ts'
import { failureCode } from '../database/failure.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Span } from '../text/source.ts'
import { Amiss, StepFailed } from './apply.ts'
import { Locked } from './online.ts'
import type { ShownPlan } from './plan.ts'
import type { Step } from './step.ts'

/** A plan for people: one line a step, with what stands in the way and what to do about it. */
export function renderPlan({ steps, hash, older }: ShownPlan): string {
  if (steps.length === 0) return 'Nothing to do: the database is as the YAML says.\n'
  const lines = steps.map((step) => {
    const why = step.risk === 'safe' ? '' : `: ${reason(step)}`
    const word = step.effect === 'removes' ? 'removes' : step.risk.padEnd(7)
    return `  ${word}  ${step.title}${why}${step.advice && step.risk !== 'safe' ? `\n           → ${step.advice}` : ''}`
  })
  const waits = steps.some((step) => step.effect === 'removes')
    ? `A start leaves alone what is marked "removes"; \`plinth apply ${hash}\` carries it out.\n`
    : ''
  const ago = older
    ? 'The database was brought to a newer YAML since this one last started: a start only adds what this one misses.\n'
    : ''
  return `Plan ${hash}\n${lines.join('\n')}\n${waits}${ago}`
}

const SINGULAR: Readonly<Record<string, string>> = {
  are: 'is',
  have: 'has',
  do: 'does',
  get: 'gets',
  point: 'points',
  share: 'shares',
}

/** Why a step is not safe: `312 rows are null (ids 4, 17, …)`. */
export function reason(step: Step): string {
  const { ids = [], rows = 0 } = step
  if (ids.length === 0) return sentence(step)
  return `${sentence(step)} (${ids.length === 1 ? 'id' : 'ids'} ${ids.join(', ')}${rows > ids.length ? ', …' : ''})`
}

function sentence({ because, rows, consequence, noun = 'row' }: Step): string {
  if (because !== undefined) return because
  if (consequence === undefined) return 'this cannot be done while running'
  if (rows === undefined) return `${noun}s ${consequence}`
  if (rows !== 1) return `${rows.toLocaleString('en')} ${noun}s ${consequence}`
  return `1 ${noun} ${consequence.replace(/^\w+/, (verb) => SINGULAR[verb] ?? verb)}`
}

/** Where the YAML speaks of what a step changes: the field, else the resource; nowhere for what it no longer names. */
export function place(catalog: Catalog | undefined, { about }: Step): Span | undefined {
  const resources = [...(catalog?.resources.values() ?? [])]
  const resource = resources.find((one) => one.table === about?.table && one.owner === one.name)
  const field = [...(resource?.fields.values() ?? [])].find((one) => one.column === about?.column)
  return field?.span ?? resource?.span
}

const OLDER = 'the database was brought to a newer YAML since, and a start of an older one only adds'

export function complaint(step: Step, hash: string, catalog: Catalog | undefined): Diagnostic {
  // What loses nothing is refused only to a start of an older YAML.
  const isOlder = step.risk === 'safe' && step.because === undefined
  const apply = step.risk === 'unsafe' || isOlder ? `\`plinth apply ${hash}\` does it` : undefined
  const hint = [isOlder ? undefined : step.advice, apply].filter(Boolean).join('; ')
  const message = `${step.title}: ${isOlder ? OLDER : reason(step)}`
  const span = place(catalog, step)
  return { code: 'unsafe_migration', message, ...(span ? { span } : {}), ...(hint === '' ? {} : { hint }) }
}

/** SQLSTATEs of rows that a step cannot do with: a value, or a rule of the tables. */
const OF_ROWS = /^2[23]/

/** What a change that was given up says to people; nothing was altered. Other failures are thrown on. */
export function givenUp(error: unknown, catalog: Catalog | undefined): readonly Diagnostic[] {
  if (error instanceof Amiss) return error.diagnostics
  if (error instanceof Locked)
    return [
      {
        code: 'tables_locked',
        message: error.message,
        hint: 'end that session, or wait until it has ended; then again',
      },
    ]
  if (error instanceof StepFailed && OF_ROWS.test(failureCode(error) ?? '')) {
    const span = place(catalog, error.step)
    const hint = 'nothing was changed: `plinth plan` names the rows'
    return [{ code: 'unsafe_migration', message: error.message, ...(span ? { span } : {}), hint }]
  }
  throw error
}
