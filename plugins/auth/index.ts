/** The auth plugin: accounts, sessions, passwords, approval, and the guards around users and roles. */
import { domainToASCII } from 'node:url'
import { definePlugin, type PeopleContribution, type Plugin } from '../../engine/index.ts'
import { actors, identify } from './account.ts'
import { accountFields, registrationInput, withoutNames } from './account-form.ts'
import { adminCommand } from './admin-command.ts'
import { approvalRoutes } from './approval.ts'
import { email } from './email-hook.ts'
import { tidy } from './email-link.ts'
import { emailRoutes } from './email-routes.ts'
import { again as againHook, unknownActs, withAgain } from './factors/fresh.ts'
import { passkeyRoute, passkeyRoutes } from './factors/passkey-routes.ts'
import { factorRoutes } from './factors/routes.ts'
import { again, secondStep } from './factors/step.ts'
import { keptHistory } from './history/acts.ts'
import { plannedKeys } from './key-life.ts'
import { endKey, keyRoutes } from './key-routes.ts'
import { linkRoutes } from './links/routes.ts'
import { openSession } from './opened-sessions.ts'
import { authOptions, OPTIONS_SCHEMA } from './options.ts'
import { pageRoutes } from './page-routes.ts'
import { accountPage } from './pages/account.ts'
import { keysPage } from './pages/keys.ts'
import { linkPage, signInPage } from './pages/sign-in.ts'
import { invite, password, requiredPassword, signOut } from './password-hooks.ts'
import { checkServiceAccounts } from './program-accounts.ts'
import { checkProviders } from './provider/doctor.ts'
import { codeRoute } from './provider/end.ts'
import { identityRoutes } from './provider/identity-routes.ts'
import { revalidate } from './provider/revalidate.ts'
import { providerRoutes } from './provider/routes.ts'
import { providerMistakes } from './provider/rule.ts'
import { providers } from './provider/trial.ts'
import { registerRoute } from './registration.ts'
import { resetRoutes } from './reset.ts'
import { guardRole, guardUser } from './role-guards.ts'
import { builtInRoles, unknownAccounts, unseededRoles } from './roles.ts'
import { authenticate } from './session.ts'
import { sessionRoutes } from './session-routes.ts'
import { loginRoute, signInRoutes } from './sign-in.ts'
import { start } from './start.ts'
import { USER_USAGE, userCommand } from './user-command.ts'

const RESOURCES = [
  'users',
  'roles',
  'pending_users',
  'access_tokens',
  'access_keys',
  'access_key_uses',
  'identities',
  'provider_codes',
  'factors',
  'recovery_codes',
  'sign_in_challenges',
  'sign_in_links',
  'rights_history',
  'password_resets',
  'email_confirmations',
  'sign_in_failures',
  'de.words',
].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url))

const COMMANDS: Plugin['commands'] = {
  admin: {
    description: 'Set a new password for the admin or an e-mail: plinth admin password [e-mail] [--random]',
    example: 'plinth admin password ann@example.com --random',
    words: ['password'],
    begins: false,
    run: adminCommand,
  },
  user: {
    description: `Make an account, set its password or its role, take its second factor away: ${USER_USAGE}`,
    example: 'plinth user create ann@example.com --role agent --first-name Ann --last-name Reed --invite',
    words: ['create', 'password', 'role', 'second-factor'],
    begins: false,
    run: userCommand,
  },
}

const ROUTES: Plugin['routes'] = [
  ...signInRoutes,
  ...factorRoutes,
  ...passkeyRoutes,
  again,
  ...sessionRoutes,
  ...providerRoutes,
  ...identityRoutes,
  ...resetRoutes,
  ...emailRoutes,
  ...pageRoutes,
  signInPage,
  linkPage,
  accountPage,
  keysPage,
  ...approvalRoutes,
]

const HOOKS: Plugin['hooks'] = {
  password,
  required_password: requiredPassword,
  invite,
  again: againHook,
  email,
  sign_out: signOut,
  guard_user: guardUser,
  guard_role: guardRole,
  end_key: endKey,
}

const SCHEMES: Plugin['schemes'] = {
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'plk_…',
    description: 'The key of a program, which `POST /auth/keys` makes.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-plinth',
    description:
      'The session of a browser, which `"session": "cookie"` at a sign-in sets. The id of the application follows in the name; it counts for pages of the same origin, and on `localhost` it is called plinth.',
  },
}

const resourceRoutes: Plugin['resourceRoutes'] = (resource, options) =>
  resource.name === 'users'
    ? [
        loginRoute(resource, options),
        registerRoute(resource, options),
        secondStep(options),
        passkeyRoute(options),
        codeRoute(options),
        ...linkRoutes(options),
        ...keyRoutes(options),
      ]
    : []

/** A name as one word: another one for each name, in letters that any server takes before the @ of an address. */
function wordOf(name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['nobody']
  return words.map((word) => (/^[a-z0-9]+$/.test(word) ? word : domainToASCII(word) || codesOf(word))).join('.')
}

function codesOf(word: string): string {
  return Array.from(word, (sign) => `u${sign.codePointAt(0)!.toString(16)}`).join('')
}

/** The files of mails. */
const MAILS = Object.fromEntries(
  ['address_change', 'confirm', 'factor', 'failures', 'invite', 'link', 'provider_refused', 'reset'].map((name) => [
    name,
    new URL(`./mails/${name}.liquid`, import.meta.url),
  ]),
)

/** The people of tests: texts that an account needs are its name as one word. */
const people: PeopleContribution = {
  body: (name, { catalog, options }) => ({
    ...Object.fromEntries(
      Object.entries(registrationInput(catalog.resources.get('users')!, options))
        .filter(([, { required, type }]) => required === true && ['string', 'text', 'slug'].includes(type))
        .map(([field]) => [field, wordOf(name)]),
    ),
    ...(authOptions(options).names && { first_name: name, last_name: 'Tester' }),
    email: `${wordOf(name)}@people.example`,
    email_verified: true,
    status: 'active',
    invite: false,
  }),
  headers: async (context, account) => ({
    authorization: `Bearer ${await openSession({ ...context, headers: {}, ip: '' }, account, { factors: ['password'] })}`,
  }),
}

export { note } from './history/acts.ts'
export { openSession } from './opened-sessions.ts'
export { register } from './registration.ts'
export { isLastAdmin, LAST_ADMIN } from './roles.ts'
export { addressFrom } from './session.ts'
export { signIn } from './sign-in.ts'

export default definePlugin({
  name: 'auth',
  description: 'Accounts with roles: sign-in by bearer token, registration with approval, passwords set by mail.',
  needs: ['timestamps', 'soft_delete', 'mail'],
  options: OPTIONS_SCHEMA,
  resources: RESOURCES,
  texts: MAILS,
  transforms: [builtInRoles, withoutNames, withAgain, keptHistory],
  rules: [
    (catalog, options) => unseededRoles(catalog, 'auth', 'roles', authOptions(options).roles),
    accountFields,
    providerMistakes,
    unknownActs,
    unknownAccounts,
  ],
  permissions: {
    'keys.own': 'May make keys, by which programs act with some of the own permissions.',
    'keys.manage': 'May make service accounts and keys for them, and see and end the keys of everybody.',
  },
  hooks: HOOKS,
  jobs: {
    tidy: { description: 'Takes back changes of address that nobody confirmed.', every: '1 hour', run: tidy },
    revalidate: {
      description: 'Asks providers whether those who signed in by them may still come in.',
      every: '5 minutes',
      run: revalidate,
    },
  },
  routes: ROUTES,
  resourceRoutes,
  authenticate,
  schemes: SCHEMES,
  accounts: {
    resource: 'users',
    address: { field: 'email', confirmed: 'email_verified' },
    language: (options) => authOptions(options).language,
    role: { relation: 'role', name: 'slug', permissions: 'permissions' },
  },
  actors,
  identify,
  people,
  providers,
  check: async (context) => [...(await checkProviders(context)), ...(await checkServiceAccounts(context))],
  plan: plannedKeys,
  start,
  commands: COMMANDS,
})
