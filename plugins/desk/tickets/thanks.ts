/**
 * The hook `tickets.thanks`: whether a comment says nothing but thanks, in English or German; in doubt it says more.
 * ticket_comments.yaml decides what follows; YAML cannot say what a text means.
 */
import { admits, type HookContext, type Next } from '../../../engine/index.ts'

/** One of these must be in the text. */
const THANKS = words(`thanks thank thx cheers danke dank dankeschön great perfect super fine good solved fixed resolved
  works working prima bestens erledigt gelöst behoben geht funktioniert läuft passt klappt`)

/** No other words may be in it: a single one may matter. */
const HARMLESS =
  words(`a again all alles an and as at auch am appreciated appreciate awesome best bei bin can cool dafür
  das den der deine dear des die diese dies du ein eine einen es everything excellent fast for für gone got grüße gruß
  gruss gut guten hallo hat help helped helpful herzlichen hi hello hey hilfe i ich ihnen ihr ihre is issue ist it its it's
  jetzt kind klar liebe lot lots many me mein meine mir mit morning much my nice now nun of ok okay on our perfekt problem
  prompt quick quickly regards rasche rasch really response reply sehr schnell schnelle sie so sorted support tausend team that
  that's the then this tip to top und us very viel viele vielen war was we well wieder wir wonderful worked wunderbar
  yes ja you your zu`)

/** A word for what was wrong counts as thanks only together with one of these. */
const WRONG = words('issue problem')
const ENDED = words('gone solved fixed resolved sorted gelöst behoben erledigt')

const MOST_WORDS = 25

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** Around the creation of a comment by a customer: sets `only_thanks`. */
export async function thanks({ actor, input, model, resource }: HookContext, next: Next): Promise<void> {
  if (actor.kind === 'user' && !admits(actor, 'tickets.comment') && resource.fields.has('only_thanks')) {
    const writer = await model('users')
      .query()
      .findById(Number(actor.id))
      .select('first_name', 'last_name')
      .castTo<{ readonly first_name: string; readonly last_name: string } | undefined>()
    input.only_thanks = onlyThanks(String(input.comment), [writer?.first_name ?? '', writer?.last_name ?? ''])
  }
  await next()
}

/** `names`: of the writer, who may have signed. */
export function onlyThanks(text: string, names: readonly string[]): boolean {
  if (text.includes('?') || text.length > 500) return false
  const own = new Set(names.flatMap(wordsOf))
  // "Thanks Alba,", "Hi Alba,": the person addressed.
  const named =
    /\b((?:[Tt]hanks|[Tt]hank you|[Dd]anke|[Dd]ank|[Hh]i|[Hh]ello|[Hh]ey|[Hh]allo|[Dd]ear)(?: so much| a lot)?,?) \p{Lu}\p{Ll}+(?=\s*(?:[,.!]|$))/gmu
  const found = wordsOf(text.replace(named, '$1'))
  if (found.length === 0 || found.length > MOST_WORDS) return false
  if (!found.every((word) => THANKS.has(word) || HARMLESS.has(word) || own.has(word))) return false
  return (
    found.some((word) => THANKS.has(word)) &&
    (!found.some((word) => WRONG.has(word)) || found.some((word) => ENDED.has(word)))
  )
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}']+/gu) ?? []
  )
}
