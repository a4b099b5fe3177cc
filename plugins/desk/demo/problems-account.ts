/** Problems with accounts, and with people who join and leave, in customers' words. */
import type { Problem } from './problem.ts'

export const SIGN_IN: readonly Problem[] = [
  {
    subjects: ['Cannot sign in after changing my phone', 'New phone, code is refused'],
    details: [
      'I got a new phone {day} and since then the app says my code is wrong. After {few} attempts I am locked out.',
      'The authenticator is still on my old {device}, which I gave away. How do I get the six digits now?',
    ],
  },
  {
    subjects: ['Password reset mail never arrives', 'No mail when I press "Forgotten password"'],
    details: [
      'I asked for a new password {few} times. Nothing comes, not even in spam.',
      'The sign-in page says a link was sent, but my inbox stays empty. Our mail system blocks nothing.',
    ],
  },
  {
    subjects: ['Account locked', 'Locked out since {day}'],
    details: [
      'My account is locked after too many attempts. It was me, I had caps lock on. Please unlock it.',
      'It says "try again later" whenever I enter my password, and later never comes.',
    ],
  },
  {
    subjects: ['Single sign-on loops', 'Login sends me round in circles'],
    details: [
      'After our identity provider accepts me I land on the login page again, in {browser} and everywhere else.',
      'The company login works, yet your page asks for it over and over. Cookies are deleted already.',
    ],
  },
  {
    subjects: ['Signed out every few minutes', 'Session ends while I type'],
    details: [
      'I have to log in {few} times a day. The session ends even while I am working.',
      '{browser} forgets my login as soon as I close the tab, though "stay signed in" is ticked.',
    ],
  },
  {
    subjects: ['Somebody signed in from abroad', 'Login I do not recognise'],
    details: [
      'The list of devices shows a login {day} that was not me. I changed my password; what else must I do?',
      'I was warned of a sign-in by an unknown {device}. Is my account compromised? Please end all sessions.',
    ],
    priority: 'Critical',
  },
]

export const ACCESS: readonly Problem[] = [
  {
    subjects: ['New colleague needs access', 'Account for a new starter'],
    details: [
      'A colleague starts at {company} on {day} and needs the same access as mine, without billing.',
      'Please set up a user for our new hire in {city}. The role should be the one that the rest of the team has.',
    ],
  },
  {
    subjects: ['Please remove a former employee', 'Colleague has left us'],
    details: [
      'Somebody left {company} {day}. Please disable the user and hand the open work over to me.',
      'We need the access of a person who no longer works here taken away, including shared folders.',
    ],
    priority: 'High',
  },
  {
    subjects: ['I cannot see the {page} page', 'Permission missing for {page}'],
    details: [
      'My role used to include {page}. Now I am told that I am not allowed to see it.',
      'Our administrator gave me rights to {page}, but the menu entry does not show up.',
    ],
  },
  {
    subjects: ['Invitation has expired', 'Invitation link is no longer valid'],
    details: [
      'I opened the invitation after a holiday and it is no longer valid. Could you send another to me?',
      'The {few} people I invited all report that their invitation does not work any more.',
    ],
  },
  {
    subjects: ['Who may approve users?', 'Change the administrator of our organization'],
    details: [
      'Our administrator moved to another team. I should become the owner of the organization in your records.',
      'Which role may add people and grant permissions? I would like to give this to two colleagues.',
    ],
    priority: 'Low',
  },
  {
    subjects: ['Merge two user profiles', 'I have two accounts'],
    details: [
      'By mistake I have two profiles, one with my old address. Can they be merged into one user?',
      'My name changed and somebody invited me again. Now my permissions are split between two accounts.',
    ],
    priority: 'Low',
  },
]

export const PROFILE: readonly Problem[] = [
  {
    subjects: ['Change of e-mail address', 'New mail address for my profile'],
    details: [
      'Our company was renamed, so my address changes. Where do I edit it in my profile?',
      'Please change the e-mail of my profile to the new domain; the field is greyed out for me.',
    ],
  },
  {
    subjects: ['Delete my personal data', 'Privacy request'],
    details: [
      'Under data protection law I ask you to erase my personal data and to confirm it in writing.',
      'Please send me a copy of everything you store about me, in a format a machine can read.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Too many notifications', 'Stop mailing me about everything'],
    details: [
      'I receive {few} notification mails a day. Where do I unsubscribe from those of {page}?',
      'Can notifications be limited to tickets that I opened? The preferences offer only all or nothing.',
    ],
  },
  {
    subjects: ['Wrong time zone in my profile', 'Times are off by some hours'],
    details: [
      'All times are shown an hour late. My profile says {city}, which is right.',
      'How do I set the time zone and language of my profile? The preferences do not keep them.',
    ],
  },
  {
    subjects: ['Cannot upload a picture', 'Profile photo is refused'],
    details: [
      'My photo is refused as too large, though it is a tiny one. What are the limits for the profile picture?',
      'The avatar I uploaded {day} is shown sideways. Turning it beforehand does not help.',
    ],
  },
  {
    subjects: ['Name is spelled wrongly', 'Umlaut in my surname'],
    details: [
      'My surname is shown with question marks instead of accents. Please correct my profile.',
      'I married and would like my new name in the profile and on everything that is signed with it.',
    ],
  },
]
