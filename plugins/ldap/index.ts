/** The ldap plugin: sign-in by the passwords of a directory, whose groups give roles. */
import { definePlugin, isOwnHost, type Plugin } from '../../engine/index.ts'
import { mappingMistakes } from '../auth/provider/rule.ts'
import { trialsOf } from '../auth/provider/trial.ts'
import { checkDirectory } from './doctor.ts'
import { directoryOf, NAME, OPTIONS_SCHEMA } from './options.ts'
import { page } from './page.ts'
import { signInRoute } from './sign-in.ts'
import { sync } from './sync.ts'

/** Passwords that go over a network have to be encrypted. */
const plainText: NonNullable<Plugin['rules']>[number] = (_catalog, options) => {
  const { starttls, url } = directoryOf(options)
  const { host, protocol } = new URL(url)
  if (protocol === 'ldaps:' && starttls)
    return [
      {
        code: 'ldap/starttls',
        message: 'A connection to ldaps:// is encrypted from the beginning',
        hint: 'leave out starttls',
        at: ['starttls'],
      },
    ]
  if (protocol === 'ldaps:' || starttls || isOwnHost(host)) return []
  return [
    {
      code: 'ldap/plain_text',
      message: 'Passwords that go to ldap:// can be read on their way',
      hint: 'write ldaps://…, or starttls: true',
      at: ['url'],
    },
  ]
}

export default definePlugin({
  name: 'ldap',
  description: 'Sign-in by the passwords of an LDAP directory, whose groups and attributes give roles.',
  needs: ['auth'],
  options: OPTIONS_SCHEMA,
  rules: [plainText, (catalog, options) => mappingMistakes(catalog, directoryOf(options).provider, [])],
  routes: [page],
  resourceRoutes: (resource, options) => (resource.name === 'users' ? [signInRoute(options)] : []),
  jobs: {
    sync: {
      description: 'Asks the directory who is disabled or gone, and which groups people have by now.',
      every: '1 hour',
      server: 'ldap',
      attempts: 3,
      run: sync,
    },
  },
  check: checkDirectory,
  providers: trialsOf({
    of: (options) => new Map([[NAME, directoryOf(options).provider]]),
    proof: 'password',
    complete: (claims) => ({ email_verified: typeof claims.email === 'string', ...claims }),
  }),
})
