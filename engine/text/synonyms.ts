/** Keys and words of other frameworks with ours, so that messages can name ours. */
import { nearest } from './nearest.ts'

/** Our word → theirs, without case, hyphens and underscores. */
const OTHERS: Readonly<Record<string, string>> = {
  // Resources
  fields: 'attributes columns properties',
  relations: 'associations relationships',
  policies: 'permissions access acl rls authorization',
  rules: 'validations validates constraints checks',
  hooks: 'callbacks middleware',
  automations: 'triggers workflows jobs',
  moves: 'transitions states',
  seeds: 'fixtures',
  actions: 'operations methods only',
  filters: 'filterable filterfields',
  search: 'searchable searchfields',
  sort: 'ordering orderby order defaultsort',
  table: 'tablename collectionname dbtable',
  path: 'endpoint route',
  keep: 'retention ttl',
  soft_delete: 'paranoid softdeletes',
  label: 'verbosename displayname singular',
  title: 'displayfield titlefield titlepath representation',
  description: 'helptext help comment note',
  // Fields
  required: 'presence notnull mandatory',
  nullable: 'blank null',
  max: 'maxlength maximum length maxvalue',
  min: 'minlength minimum minvalue',
  pattern: 'regex regexp match matches',
  values: 'choices options enum allowed',
  default: 'defaultvalue initial',
  column: 'columnname dbcolumn foreignkey fk joincolumn',
  computed: 'generated formula expression sql',
  scale: 'decimals decimalplaces',
  precision: 'digits maxdigits',
  of: 'items itemtype',
  renamed_from: 'oldname previousname was',
  // Relations
  belongs_to: 'manytoone references',
  has_many: 'hasone onetomany onetoone hasmanythrough',
  many_to_many: 'habtm hasandbelongstomany belongstomany',
  on_delete: 'dependent ondestroy',
  by: 'inverseof relatedname mappedby foreignkey',
  embed: 'includes expand populate',
  order: 'orderby ordering sort',
  through: 'jointable junction',
  set_null: 'nullify',
  cascade: 'destroy deleteall',
  restrict: 'noaction protect',
  // Policies and actions
  view: 'read select show list get',
  list: 'index all',
  get: 'show read retrieve find',
  create: 'insert store add new',
  update: 'edit patch modify write',
  delete: 'destroy remove',
  signed_in: 'authenticated loggedin user users',
  anyone: 'public everyone everybody all guest anonymous',
  when: 'if condition',
  where: 'filter using check if condition conditions',
  set: 'preset presets do update',
  // Rules and automations
  must: 'validate assert ensure expect check',
  says: 'message error errormessage',
  every: 'schedule cron',
  on: 'trigger event',
  in: 'timezone tz zone',
  allow: 'transitions',
  text: 'body content html concat message',
  to: 'recipients recipient',
  // Filters and values
  any: 'or',
  all: 'and',
  eq: 'equals equal is == =',
  ne: 'neq notequals notequal != <>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  contains: 'like ilike icontains includes',
  null: 'isnull',
  $actor: 'user me self currentuser auth',
  $record: 'this row new',
  $before: 'old',
  some: 'any exists',
  plus: 'sum add',
  minus: 'subtract',
  times: 'multiply product',
  divided_by: 'divide',
  first: 'coalesce',
}

const OURS = new Map<string, readonly string[]>()
for (const [ours, theirs] of Object.entries(OTHERS))
  for (const one of theirs.split(' ')) OURS.set(one, [...(OURS.get(one) ?? []), ours])

/** Which of the known words others call by this one; undefined where none is. */
export function ourWord(word: string, known: Iterable<string>): string | undefined {
  const named = OURS.get(word.toLowerCase().replace(/[-_ $]/g, '')) ?? []
  const words = new Set(known)
  return named.find((one) => words.has(one))
}

/** The known word that was probably meant: what others call so, or one that is written nearly so. */
export function meant(word: string, known: Iterable<string>): string | undefined {
  const words = [...known]
  return ourWord(word, words) ?? nearest(word, words)
}

/** The same as the hint of a complaint; empty where no known word is meant. */
export function ourHint(word: string, known: Iterable<string>): { readonly hint?: string } {
  const ours = meant(word, known)
  return ours === undefined ? {} : { hint: `did you mean "${ours}"?` }
}
