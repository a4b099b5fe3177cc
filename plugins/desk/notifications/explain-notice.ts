/** Who is told of a change and who is not, in sentences, for `plinth explain`. */
import { optionsOf } from './options.ts'
import type { Audience, Person } from './people.ts'
import { isListed, isMailed, toldHow } from './reach.ts'
import type { Telling } from './telling.ts'

/** Says of everybody whom an audience names how they are told of a kind, or why they are not. */
export async function explainNotice(
  context: Telling,
  { mailOnly = false, type }: { readonly type: string; readonly mailOnly?: boolean },
  audience: Audience,
  people: readonly Person[],
): Promise<void> {
  const { explained = () => undefined } = context
  const usual = [...optionsOf(context.options).mail].some((kind) => kind === type)
  for (const person of people) {
    const listed = !mailOnly && isListed(person.reach)
    const how = toldHow(listed, isMailed(person, usual))
    explained(`${type}: ${person.email} ${how}${person.reach === 'default' ? '' : ', as they chose'}`)
  }
  for (const [id, email] of await othersIn(context, audience, people)) {
    const self = id === context.caller.id && audience.caller !== true
    const why = self ? 'made the change' : 'may not see it, or may not sign in'
    explained(`${type}: ${email} ${why}, and is not told`)
  }
}

/** Whom an audience names and who is not told, by id, with their addresses; not who was told before. */
async function othersIn(
  { catalog, transaction }: Telling,
  { customer, readers, staff = [], without = [] }: Audience,
  people: readonly Person[],
): Promise<readonly (readonly [number, string])[]> {
  const known = new Set([...without, ...people.map(({ id }) => id)])
  const named = [customer, ...staff, ...(readers?.ids ?? [])].filter((id) => typeof id === 'number')
  const ids = [...new Set(named)].filter((id) => !known.has(id))
  const text = `select id, email from "${catalog.resources.get('users')!.table}" where id = any($1::int[]) order by id`
  return (await transaction.run({ text }, [ids])).map(([id, email]) => [Number(id), email ?? ''] as const)
}
