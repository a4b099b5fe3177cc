/** The languages that people read: of accounts, as their field for it says, and what is wrong with texts in them. */
import {
  type ActionMistake,
  type ActionPlace,
  type Catalog,
  type PluginContext,
  type RuleComplaint,
  textIn,
} from '../../engine/index.ts'
import { variablesIn } from './words.ts'

/** The language of the account with an address; undefined where there is none, or it has chosen none. */
export async function languageOf(
  { catalog, database }: Pick<PluginContext, 'catalog' | 'database'>,
  address: string,
): Promise<string | undefined> {
  const { accounts, resources } = catalog
  const users = resources.get(accounts?.resource ?? '')
  const email = users?.fields.get(accounts?.address?.field ?? '')
  if (users === undefined || email === undefined || accounts?.language === undefined) return undefined
  const text = `select "${accounts.language.column}" from "${users.table}" where "${email.column}" = $1 limit 1`
  const [row] = await database.adhoc.run({ text }, [address.toLowerCase()])
  return row?.[0] ?? undefined
}

/** What is wrong with what a language says in place of a text; it may name nothing that the text itself does not name. */
function mistakeIn(text: string, said: string): string | undefined {
  const [own, other] = [variablesIn(text), variablesIn(said)]
  if (typeof other === 'string') return other
  const known = new Set(typeof own === 'string' ? [] : own.map((name) => name.join('.')))
  const more = other.map((name) => name.join('.')).find((name) => !known.has(name))
  return more === undefined ? undefined : `The text names "${more}", which the text that it stands for does not name`
}

/** Mistakes in what the languages of an application say in place of a text of a resource. */
export function languageMistakes(
  { catalog, resource }: Pick<ActionPlace, 'catalog' | 'resource'>,
  text: string,
): readonly Omit<ActionMistake, 'at'>[] {
  return [...catalog.words.keys()].flatMap((language) => {
    const mistake = mistakeIn(text, textIn(catalog, language, resource.name, text))
    return mistake === undefined ? [] : [{ message: `In ${language}.words.yaml: ${mistake}` }]
  })
}

const SUBJECT = /^Subject: \S/

/** Mistakes in what the languages of an application say in place of the texts of plugins. */
export function pluginTextMistakes({ texts, words }: Catalog): readonly RuleComplaint[] {
  return [...words].flatMap(([language, { plugins = {} }]) =>
    [...texts.plugins].flatMap(([name, { text }]): readonly RuleComplaint[] => {
      const [plugin = '', own = ''] = name.split('.')
      const said = plugins[plugin]?.[own]
      if (said === undefined) return []
      const headless = SUBJECT.test(text) && !SUBJECT.test(said)
      const mistake = headless ? 'The text does not begin with "Subject: " and the subject' : mistakeIn(text, said)
      const message = `In ${language}.words.yaml, plugins.${name}: ${mistake}`
      return mistake === undefined ? [] : [{ code: 'mail/wrong_words', message }]
    }),
  )
}
