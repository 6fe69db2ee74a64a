// Package life is for tests. It simulates each forge: a model holds the forge's
// truth of one pull request, steps change it, and each change is told by the
// deliveries that the real forge sends, header and body, by its own clock.
//
//	steps ─▶ model ─▶ truth of the row ───────────────────────────┐
//	           └────▶ deliveries ─any order, doubled─▶ Seal, Decode, Held ─▶ rows
//
// So the rows can be held against the truth, whatever arrived in whatever order.
// What a forge cannot tell, its simulator does not do, and says so where it is
// declared: of two values under one unmoved clock, nobody knows the later one. The
// facts are those of docs/<provider>.md.
//
// What the properties promise, for each forge:
//
//   - any order with any doubling ends in the same rows, and in the truth;
//   - nothing ends dead, merged is final, the watermark never falls;
//   - transitions chain, none says nothing, and the last ones end where the row does;
//   - of lost deliveries, the newest snapshot makes good what snapshots show.
//
// Beside them stand the traps of payloads that only the fold can show to be met.
// The numbers are those of all TestTrap tests. P is the tests of the providers,
// L those here:
//
//	 1 one GUID from two hooks              P github, L
//	 2 redelivery of an old snapshot        L
//	 3 only snapshots move the watermark    P all, L
//	 4 merged is not in every payload       P github, gitea, bitbucket
//	 5 repositories are renamed             P all, L the properties
//	 6 a repository is made again           P github, L
//	 7 comments on issues                   P all
//	 8 ids beyond 32 bits                   P all
//	 9 deleted forks and accounts           P all, L the properties (delete fork)
//	10 the base moves                       P all, L
//	11 drafts                               P all, L the properties
//	12 reopened with another head           P github, gitlab, L
//	13 a merge through the queue            P github, L
//	14 checks of a merge group              P github, L
//	15 checks of forks                      P github, gitea, bitbucket, L
//	16 a check runs again                   P github, L
//	17 a suite is requested again           P github, gitea, L
//	18 the states of one context            P github, gitea, bitbucket, L
//	19 dismissed reviews                    P github, gitea, L
//	20 deleted comments                     P all, L
//	21 a ping names no repository           P github, bitbucket
//	22 forms                                P github, gitea
//	23 large bodies                         ingest, TestEdge_TwentyFiveMegabytes
//	24 NUL and invalid UTF-8                P all, L
//	25 headers of other providers           P github, gitlab, gitea
//	26 the status that a provider wants     P gitlab, bitbucket; Linear and status pages are not read yet
//	27 two changes of one second            L; projector, TestI6_OneSecondEndsInTheSameRow
//	28 auto merge                           P github, L
//	29 a check before its head              P github, L
//	30 the number and the id of GitLab      P gitlab
//	31 locked while merging                 P gitlab, L
//	32 system hooks repeat                  P gitlab
//	33 our own merge comes back             L; actuator, TestAct_EchoOfOwnCloseDoesNotSkipTheComment
//	34 a merge after a timeout              actuator, TestI10_CrashMatrix; it is of acting, not of the fold
//	35 errors of the client                 actuator, TestClassify; likewise
//	36 secrets in bodies and headers        P gitlab, gitea; ingest; status pages are not read yet
//	37 a clock of the future                P all (no clock), L
//	38 own echo                             P github (who is a bot); actuator/rules, TestOwnEcho_FiresNoRuleUnlessItAsks
package life
