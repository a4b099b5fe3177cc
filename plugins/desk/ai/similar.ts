/** Settled tickets that ask nearly the same, and what staff answered there in public. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import { learned } from './learner.ts'
import { slices } from './slices.ts'
import { featuresOf } from './words.ts'

export interface Answered {
  readonly ticket: number
  readonly subject: string
  /** 0 to 1: how much of the question they share. */
  readonly likeness: number
  /** What was answered, without addresses and numbers that belong to somebody else. */
  readonly answer: string
}

const MOST_TICKETS = 20
const LEAST_LIKENESS = 0.12
const ANSWER_CHARACTERS = 3_000

/** Answers given to similar tickets that the caller may read, most similar first, each answer once; not of `except`. */
export async function similarAnswers(
  context: PluginContext,
  text: string,
  except: number,
): Promise<readonly Answered[]> {
  const near = await nearest(context, text, except)
  const values: unknown[] = [near.map(({ id }) => id), customerRole(context), ANSWER_CHARACTERS]
  const table = (name: string): string => context.catalog.resources.get(name)!.table
  const statement = `select distinct on (t.id) t.id, t.subject, left(c.comment, $3)
    from "${table('tickets')}" t join "${table('ticket_comments')}" c on c.ticket_id = t.id
    join "${table('users')}" u on u.id = c.user_id join "${table('roles')}" r on r.id = u.role_id
    where t.id = any($1::integer[]) and not c.is_internal and r.slug <> $2 and c.user_id is distinct from t.user_id
      and ${context.readable('tickets', 't', values)} and ${context.readable('ticket_comments', 'c', values)}
    order by t.id, length(c.comment) desc, c.id`
  const rows = near.length === 0 ? [] : await context.database.adhoc.run({ text: statement }, values)
  const said = new Set<string>()
  return near.flatMap(({ id, likeness }) => {
    const row = rows.find(([ticket]) => Number(ticket) === id)
    const answer = impersonal(row?.[2] ?? '')
    if (answer === '' || said.has(answer)) return []
    said.add(answer)
    return [{ ticket: id, subject: row?.[1] ?? '', likeness, answer }]
  })
}

/** The role of those who write from outside: the last of the roles that the accounts know. */
function customerRole({ catalog }: PluginContext): string {
  const roles = catalog.pluginOptions.get('auth')?.roles
  return String((Array.isArray(roles) ? roles.at(-1) : undefined) ?? 'customer')
}

/** E-mail addresses and long numbers of one customer are not told to another. */
function impersonal(answer: string): string {
  return answer
    .replace(/[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/gu, '[e-mail address]')
    .replace(/\+?\d(?:[\d ()/.-]{4,}\d)/g, '[number]')
    .trim()
}

/** The settled tickets that share the most telling words with a text. */
async function nearest(context: PluginContext, text: string, except: number) {
  const { model } = await learned(context)
  const { strong } = featuresOf(text)
  const asked = new Set<number>(strong)
  const usual = new Map<number, number>()
  const shared: { readonly id: number; readonly features: readonly number[]; readonly size: number }[] = []
  const pause = slices()
  for (const { features, id } of [...model.examples.values()]) {
    const both = [...features.strong].filter((feature) => asked.has(feature))
    for (const feature of both) usual.set(feature, (usual.get(feature) ?? 0) + 1)
    if (both.length > 0 && id !== except) shared.push({ id, features: both, size: features.strong.length })
    await pause()
  }
  const weight = (feature: number) => Math.log(1 + (model.examples.size + 1) / ((usual.get(feature) ?? 0) + 1))
  const all = [...asked].reduce((sum, feature) => sum + weight(feature), 0)
  return shared
    .map(({ features, id, size }) => {
      const share = features.reduce((sum, feature) => sum + weight(feature), 0) / all
      return { id, likeness: Math.round(share * Math.sqrt(Math.min(1, asked.size / size)) * 10_000) / 10_000 }
    })
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || b.id - a.id)
    .slice(0, MOST_TICKETS)
}
