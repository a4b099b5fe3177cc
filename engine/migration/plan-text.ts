/** Plans and steps in words for people: `plinth plan`, refusals of a start, and changes that were given up. */
import type { Catalog } from '../catalog/catalog.ts'
import { failureCode } from '../database/failure.ts'
import { together } from '../text/alike.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Span } from '../text/source.ts'
import { StepFailed, Unservable } from './apply.ts'
import { Locked } from './online.ts'
import type { ShownPlan } from './plan.ts'
import { adviceOf, riskOf, type Step } from './step.ts'

/**
 * A plan for people: one line a step, with what is in the way and what to do about it. Many safe steps of one kind are one
 * line, and those of the program's own tables are another, unless `all` are wanted.
 */
export function renderPlan({ steps, hash, older }: ShownPlan, all = false): string {
  if (steps.length === 0) return 'Nothing to do: the database is as the YAML says.\n'
  const lines = (all ? steps.map((step) => [step] as const) : together(steps, kindOf, apartOf)).map(stepsLine)
  const waits = steps.some((step) => step.effect === 'removes')
    ? `A start leaves alone what is marked "removes"; \`plinth apply ${hash}\` carries it out.\n`
    : ''
  const ago = older
    ? 'The database was brought to a newer YAML since this one last started: a start only adds what this one misses.\n'
    : ''
  return `Plan ${hash}\n${lines.join('\n')}\n${waits}${ago}`
}

/** The title of steps about the program's own tables. */
const OWN = "bring the program's own tables to this version"

/** What safe steps have in common: an index of one kind, or the program's own tables. */
function kindOf(step: Step): string | undefined {
  if (riskOf(step) !== 'safe' || step.effect === 'removes') return undefined
  if (/\bplinth_\w+/.test(step.title)) return OWN
  return / on \w+ \([^()]*\)$/.test(step.title) ? step.title.slice(0, step.title.lastIndexOf(' on ')) : undefined
}

/** How many steps of a kind have lines of their own; undefined: as many as of anything. */
function apartOf(kind: string): number | undefined {
  return kind === OWN ? 0 : undefined
}

function stepsLine([step, ...more]: readonly [Step, ...Step[]]): string {
  const [risk, advice] = [riskOf(step), adviceOf(step)]
  const word = step.effect === 'removes' ? 'removes' : risk.padEnd(7)
  if (risk !== 'safe')
    return `  ${word}  ${step.title}: ${reason(step)}${advice === undefined ? '' : `\n           → ${advice}`}`
  if (more.length === 0) return `  ${word}  ${step.title}`
  const own = kindOf(step) === OWN ? `${OWN}: ` : ''
  return `  ${word}  ${own}${step.title} and ${more.length} more`
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
  const { ids, rows } = step.answer ?? { ids: [], rows: 0 }
  if (ids.length === 0) return sentence(step)
  return `${sentence(step)} (${ids.length === 1 ? 'id' : 'ids'} ${ids.join(', ')}${rows > ids.length ? ', …' : ''})`
}

function sentence({ answer, concern }: Step): string {
  if ('because' in concern && concern.because !== undefined) return concern.because
  if (!('consequence' in concern) || concern.consequence === undefined) return 'this cannot be done while running'
  const { consequence, noun = 'row' } = concern
  const rows = answer?.rows
  if (rows === undefined) return `${noun}s ${consequence}`
  if (rows !== 1) return `${rows.toLocaleString('en')} ${noun}s ${consequence}`
  return `1 ${noun} ${consequence.replace(/^\w+/, (verb) => SINGULAR[verb] ?? verb)}`
}

/**
 * The place in the YAML that a step is about: the field, or else the resource; undefined for what is no longer in it.
 */
export function place(catalog: Catalog | undefined, { about }: Step): Span | undefined {
  const resources = [...(catalog?.resources.values() ?? [])]
  const resource = resources.find((one) => one.table === about?.table && one.owner === one.name)
  const field = [...(resource?.fields.values() ?? [])].find((one) => one.column === about?.column)
  return field?.span ?? resource?.span
}

const OLDER = 'the database was brought to a newer YAML since, and a start of an older one only adds'

/** Why a start or `plinth apply` refuses a step. */
export function complaint(step: Step, hash: string, catalog: Catalog | undefined): Diagnostic {
  const risk = riskOf(step)
  // A safe step is refused only to a start of an older YAML.
  const isOlder = risk === 'safe' && step.concern.kind !== 'other name'
  const apply = risk === 'unsafe' || isOlder ? `\`plinth apply ${hash}\` does it` : undefined
  const hint = [isOlder ? undefined : adviceOf(step), apply].filter(Boolean).join('; ')
  const message = `${step.title}: ${isOlder ? OLDER : reason(step)}`
  const span = place(catalog, step)
  return { code: 'unsafe_migration', message, ...(span ? { span } : {}), ...(hint === '' ? {} : { hint }) }
}

/** SQLSTATEs of rows that a step cannot take: wrong values, broken constraints. */
const OF_ROWS = /^2[23]/

/** The diagnostics of a change that was given up, when nothing was altered. Rethrows other failures. */
export function givenUp(error: unknown, catalog: Catalog | undefined): readonly Diagnostic[] {
  if (error instanceof Unservable) return error.diagnostics
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
