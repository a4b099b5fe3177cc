/** The words by which a policy changes one that is there: `and` narrows it, `add` and `replace` change its clauses. */
import { type DocumentNode, entriesOf, isMapNode, itemsOf, listOf, mapOf, within } from '../definition/document-node.ts'
import { isObject, type Json } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { hintOf } from '../text/nearest.ts'

const WORDS = ['and', 'add', 'replace']

interface Changing {
  readonly diagnostics: Diagnostic[]
  /** Hears of a clause that takes the place of another one, with the name by which that is known. */
  readonly replaced: (was: DocumentNode, now: DocumentNode, name: string) => void
}

/** The clauses of a policy that is there, changed by the words of another file; undefined where that has no words. */
export function changedPolicy(there: DocumentNode, words: DocumentNode, changing: Changing): DocumentNode | undefined {
  if (!isMapNode(words) || !Array.isArray(there.value)) return undefined
  const unknown = [...entriesOf(words)].filter(([word]) => !WORDS.includes(word))
  const unlisted = ['add', 'replace'].filter((word) => word in words.value && !Array.isArray(words.value[word]))
  for (const [word, node] of unknown)
    changing.diagnostics.push({
      code: 'unknown_key',
      message: `Unknown key "${word}"`,
      span: node.place([], 'key'),
      expected: WORDS,
      ...hintOf(word, WORDS),
    })
  for (const word of unlisted)
    changing.diagnostics.push({
      code: 'wrong_type',
      message: `"${word}" must be a list of clauses`,
      span: within(words, word).place([]),
      hint: 'write [{ … }]',
    })
  if (unknown.length + unlisted.length > 0) return there
  const kept = withReplaced(itemsOf(there), itemsOf(within(words, 'replace')), changing)
  const all = [...kept, ...itemsOf(within(words, 'add'))]
  const and = words.value.and === undefined ? undefined : within(words, 'and')
  return listOf(and === undefined ? all : all.map((clause) => narrowed(clause, and)), words)
}

function withReplaced(
  there: readonly DocumentNode[],
  over: readonly DocumentNode[],
  { diagnostics, replaced }: Changing,
): readonly DocumentNode[] {
  const kept = [...there]
  for (const clause of over) {
    const name = callersOf(clause.value as Json)
    const places = kept.flatMap((one, index) => (callersOf(one.value as Json) === name ? [index] : []))
    if (places.length === 1) {
      replaced(kept[places[0]!]!, clause, name)
      kept[places[0]!] = clause
      continue
    }
    const message =
      places.length === 0
        ? `No clause below is for ${name}, so this replaces none`
        : `${places.length} clauses below are for ${name}, and it is not known which this replaces`
    const known = there.map((one) => callersOf(one.value as Json))
    const near = places.length === 0 ? hintOf(name, known) : {}
    const hint = places.length === 0 ? 'write it under "add"' : 'write all clauses of the policy as a list'
    diagnostics.push({ code: 'unknown_part', message, span: clause.place([]), expected: known, hint, ...near })
  }
  return kept
}

/** `role customer`: whom a clause is for. */
function callersOf(clause: Json): string {
  if (!isObject(clause)) return 'nobody'
  const words = ['permission', 'role', 'who'].filter((word) => clause[word] !== undefined)
  return (
    words.map((word) => `${word} ${[clause[word]].flat().map(String).sort().join(' or ')}`).join(', ') || 'everybody'
  )
}

/** The clause under one more condition. */
function narrowed(clause: DocumentNode, and: DocumentNode): DocumentNode {
  if (!isMapNode(clause)) return clause
  const where = clause.value.where === undefined ? undefined : within(clause, 'where')
  const both = where === undefined ? and : mapOf(new Map([['all', listOf([where, and], and)]]), and)
  return mapOf(new Map([...entriesOf(clause), ['where', both]]), clause)
}

/** A resource whose policies are all lists: words that change a policy which is not there are a complaint, and allow nothing. */
export function withoutIdleWords(resource: DocumentNode, diagnostics: Diagnostic[]): DocumentNode {
  const policies = within(resource, 'policies')
  const idle = [...entriesOf(policies)].filter(
    ([, { value }]) =>
      isObject(value as Json) && Object.keys(value as Json & object).some((key) => WORDS.includes(key)),
  )
  if (idle.length === 0) return resource
  for (const [policy, node] of idle)
    diagnostics.push({
      code: 'wrong_extension',
      message: `There is no policy "${policy}" below that these words could change`,
      span: node.place([], 'key'),
      hint: 'write its clauses as a list: [{ … }]',
    })
  const empty = idle.map(([policy, node]) => [policy, listOf([], node)] as const)
  const changed = mapOf(new Map([...entriesOf(policies), ...empty]), policies)
  return mapOf(new Map([...entriesOf(resource), ['policies', changed]]), resource)
}
