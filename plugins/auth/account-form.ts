/** What accounts of an application have, beyond their address and password, and who gives it. */
import type {
  Catalog,
  Diagnostic,
  Field,
  FieldDefinition,
  JsonObject,
  Resource,
  ResourceDefinition,
  RuleComplaint,
} from '../../engine/index.ts'
import { nearest } from '../../engine/index.ts'
import { type AuthOptions, authOptions } from './options.ts'

/** The fields that an account has only where the option `names` is not false. */
const NAMES = ['first_name', 'last_name']
/** What nobody may choose when they register. */
const KEPT = [
  'id',
  'role_id',
  'status',
  'email_verified',
  'pending_email',
  'password_hash',
  'self_registered',
  'email',
  'kind',
  'responsible_id',
]
/** The types of values by which people can be told apart at a sign-in. */
const WORDS = ['string', 'slug', 'email']

const isName = (name: string): boolean => NAMES.includes(name)
const without = (names: readonly string[]): readonly string[] => names.filter((name) => !isName(name))

/** Takes the names out of accounts where the option `names` is false, and calls accounts by something else. */
export function withoutNames(resource: ResourceDefinition, options: JsonObject): ResourceDefinition {
  const own = authOptions(options)
  if (own.names || !['users', 'pending_users'].includes(resource.resource)) return resource
  const { fields = {}, policies, search, sort } = resource
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => !isName(name)))
  const isOwner = resource.resource === 'users'
  return {
    ...resource,
    fields: isOwner ? { ...kept, name: { type: 'string', computed: calledBy(kept, own) } } : kept,
    ...(Array.isArray(search) && { search: without(search) }),
    ...(sort?.keys !== undefined && { sort: { ...sort, keys: without(sort.keys) } }),
    ...(policies?.update !== undefined && {
      policies: {
        ...policies,
        update: policies.update.map((clause) =>
          clause.fields === undefined ? clause : { ...clause, fields: without(clause.fields) },
        ),
      },
    }),
  }
}

/** SQL of what an account without names is called. */
function calledBy(fields: NonNullable<ResourceDefinition['fields']>, { register, signIn }: AuthOptions): string {
  const name = [...signIn, ...register].find((one) => one !== 'email' && WORDS.includes(fields[one]?.type ?? ''))
  return name === undefined ? "split_part(t.email, '@', 1)" : `t."${fields[name]?.column ?? name}"`
}

/** A field of accounts as the input of a route. */
export function inputOf({ description, label, options, required, sqlType, type }: Field): FieldDefinition {
  // Foreign keys have a type that no author writes.
  const word = type.internal === true ? (KEY_TYPES[sqlType] ?? 'string') : type.name
  const own = type.internal === true ? {} : options.own
  return { type: word, ...own, label, required, ...(description !== undefined && { description }) }
}

const KEY_TYPES: Readonly<Record<string, string>> = { integer: 'integer', bigint: 'bigint', uuid: 'uuid' }

/** The input of a registration beyond address and password. */
export function registrationInput({ fields }: Pick<Resource, 'fields'>, options: JsonObject) {
  const { names, register } = authOptions(options)
  const asked = [...(names ? NAMES : []), ...register]
  return Object.fromEntries(
    asked.flatMap((name) => {
      const field = fields.get(name)
      return field === undefined ? [] : [[name, inputOf(field)] as const]
    }),
  )
}

/** What is wrong with the options that name fields of accounts, and which required fields nobody would fill. */
export function accountFields({ languages, resources }: Catalog, options: JsonObject): readonly RuleComplaint[] {
  const users = resources.get('users')
  if (users === undefined) return []
  const { admin, language, register, signIn } = authOptions(options)
  const unknown = (option: string, names: readonly string[]): readonly Diagnostic[] =>
    names.filter((name) => !users.fields.has(name)).map((name) => unknownField(users, option, name))
  return [
    ...unknown('register', register),
    ...unknown('admin', Object.keys(admin)),
    ...unknown('sign_in', signIn),
    ...unknown('language', language === undefined ? [] : [language]),
    ...wrongLanguage(users.fields.get(language ?? ''), languages),
    ...register.flatMap((name) => unregistrable(users.fields.get(name))),
    ...signIn.flatMap((name) => unsuited(users.fields.get(name))),
    ...[...users.fields.values()].filter((field) => isAsked(users, field)).flatMap((field) => unfilled(field, options)),
  ]
}

function unknownField({ fields }: Resource, option: string, name: string): Diagnostic {
  const near = nearest(name, [...fields.keys()])
  return {
    code: 'auth/unknown_field',
    message: `Accounts have no field "${name}", which the option "${option}" of the plugin auth names`,
    hint: near === undefined ? 'add it to resources/users.yaml, or name another one' : `did you mean "${near}"?`,
  }
}

/** The field must hold one of the languages of the application. */
function wrongLanguage(field: Field | undefined, languages: readonly string[]): readonly RuleComplaint[] {
  if (field === undefined) return []
  const { values } = field.options.own
  const strange = Array.isArray(values) ? values.map(String).find((word) => !languages.includes(word)) : undefined
  if (field.type.name === 'enum' && strange === undefined) return []
  return [
    {
      code: 'auth/wrong_language',
      message:
        strange === undefined
          ? `The option "language" of the plugin auth names "${field.name}", which is no enum`
          : `"${strange}", a value of "${field.name}", is no language of app.yaml`,
      hint: `give it values: [${(languages.length === 0 ? ['en'] : languages).join(', ')}]`,
      at: ['language'],
    },
  ]
}

function unregistrable(field: Field | undefined): readonly Diagnostic[] {
  if (field === undefined || !(KEPT.includes(field.name) || field.readOnly || field.computed !== undefined)) return []
  const why = KEPT.includes(field.name) ? 'is for others to give, or is asked for in any case' : 'cannot be written'
  return [
    {
      code: 'auth/wrong_register',
      message: `The option "register" of the plugin auth names "${field.name}", which ${why}`,
      hint: 'name fields that a person may choose for an account of theirs',
    },
  ]
}

function unsuited(field: Field | undefined): readonly Diagnostic[] {
  if (field === undefined || (field.unique && WORDS.includes(field.type.name))) return []
  return [
    {
      code: 'auth/wrong_sign_in',
      message: `Nobody can sign in by "${field.name}": it is no text that only one account has`,
      hint: `write ${field.name}: { type: string, unique: true } in resources/users.yaml, or name another field`,
    },
  ]
}

/** Whether every new account needs a value for the field that only its maker can give. */
function isAsked({ relations }: Resource, field: Field): boolean {
  const { default: given, defaultMoment, filledBy, name, readOnly, relation, required } = field
  if (!required || readOnly || NAMES.includes(name) || KEPT.includes(name)) return false
  const link = relation === undefined ? undefined : relations.get(relation)
  const hasDefault = given !== undefined || defaultMoment !== undefined || filledBy !== undefined
  return !hasDefault && !(link?.kind === 'belongs_to' && link.default !== undefined)
}

function unfilled({ name, span }: Field, options: JsonObject): readonly Diagnostic[] {
  const { admin, register } = authOptions(options)
  const [byOthers, byAdmin] = [register.includes(name), admin[name] !== undefined]
  if (byOthers && byAdmin) return []
  const who = byOthers
    ? 'the first admin has'
    : byAdmin
      ? 'those who register have'
      : 'the first admin and those who register have'
  const parts = [
    ...(byOthers ? [] : [`register: [${[...register, name].join(', ')}]`]),
    ...(byAdmin ? [] : [`admin: { ${name}: … }`]),
  ]
  return [
    {
      code: 'auth/unfilled_field',
      message: `Accounts cannot be made: "${name}" is required, and ${who} no value for it`,
      span,
      hint: `write plugins: { auth: { ${parts.join(', ')} } } in resources/app.yaml, or leave "required" out`,
    },
  ]
}
