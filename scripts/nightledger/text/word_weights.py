"""What each word of a line, its label or its heading adds to the log-odds that it is worth keeping.

``bench/fit_statements.py`` fitted it (logistic regression, L2) on 41,944 lines of daily logs
of 97 public workspaces, 4,347 of them worth keeping; how well it does on a workspace that was
not in the fit is measured by ``bench/bench_consolidate.py --held-out``.

Invariant: no word is a name (`bench/fit_statements.py` leaves out what is mostly
capitalized); a word that is not here counts nothing.
"""

_TABLE = """\
w.a -0.017 w.about -0.124 w.above -0.145 w.accepted 0.323 w.access 0.067 w.accessible -0.123 w.account -0.384
w.across -0.168 w.action -0.386 w.actionable 0.133 w.activation -0.169 w.active -0.428 w.activity -0.21
w.actual 0.187 w.actually -0.359 w.add -0.375 w.added 0.179 w.address -0.183 w.admin 0.132 w.after -0.162
w.again -0.138 w.against -0.115 w.agent 0.337 w.alert -0.168 w.all -0.288 w.allowlist 0.109 w.already -0.345
w.also 0.135 w.always 0.342 w.am 0.12 w.an 0.089 w.analysis -0.145 w.and -0.076 w.angle -0.199 w.announce 0.169
w.app -0.145 w.approach -0.254 w.approval 0.236 w.architecture -0.118 w.are 0.124 w.around -0.108 w.articles 0.109
w.artifacts 0.097 w.as 0.286 w.ask 0.153 w.asked -0.491 w.at 0.248 w.attempted -0.228 w.audit -0.132 w.auth -0.102
w.authentication -0.169 w.autonomous 0.212 w.avoid -0.158 w.awaiting -0.229 w.b 0.146 w.backend 0.095
w.background 0.127 w.backup 0.194 w.balance -0.132 w.base -0.159 w.baseline -0.103 w.basic -0.198 w.batch -0.304
w.be 0.149 w.because 0.101 w.been 0.16 w.before 0.218 w.behavior -0.19 w.best 0.115 w.bin -0.32 w.binary 0.369
w.bird 0.161 w.blocked -0.272 w.blocks 0.227 w.blog -0.236 w.board 0.105 w.bot 0.531 w.both -0.394 w.brief 0.112
w.briefing 0.185 w.briefs 0.166 w.broken 0.142 w.browser 0.419 w.build 0.189 w.builds -0.166 w.built -0.236
w.business 0.133 w.but -0.556 w.buy -0.201 w.by 0.179 w.call -0.093 w.can 0.077 w.candidate -0.114 w.cannot 0.124
w.capabilities -0.197 w.capture -0.184 w.captured 0.32 w.card -0.147 w.cards -0.155 w.case -0.131 w.category -0.158
w.cause 0.424 w.caused 0.21 w.causes 0.18 w.chain -0.103 w.change 0.211 w.channel 0.27 w.channels 0.262
w.chat -0.314 w.check -0.37 w.checked -0.337 w.checking 0.149 w.cleaned -0.138 w.cleanup -0.221 w.clear -0.157
w.client -0.243 w.closed 0.104 w.code -0.076 w.coding 0.209 w.color -0.179 w.columns 0.15 w.com 0.189
w.command 0.083 w.commands 0.154 w.commit -0.127 w.commits 0.115 w.committed -0.083 w.companies -0.17
w.complete -0.146 w.completed -0.221 w.complex 0.391 w.components -0.25 w.comprehensive -0.221 w.config 0.33
w.confirmation 0.15 w.confirmed -0.05 w.connect -0.153 w.consistent -0.145 w.consolidation -0.124 w.container 0.272
w.containers 0.215 w.content -0.099 w.context -0.273 w.continuity -0.221 w.contracts -0.122 w.controls -0.164
w.core -0.082 w.correct 0.207 w.corrected -0.222 w.could -0.191 w.count -0.235 w.create 0.117 w.creation 0.097
w.critical -0.261 w.cron 0.13 w.crons -0.293 w.current 0.153 w.currently -0.075 w.d 0.336 w.daily 0.037
w.dashboard 0.062 w.data -0.36 w.database -0.175 w.day -0.122 w.de 0.113 w.deadline -0.195 w.decision -0.135
w.deep 0.207 w.default 0.083 w.delete -0.099 w.delivery 0.099 w.deploy 0.098 w.design 0.097 w.despite -0.19
w.detection -0.13 w.dev 0.525 w.developer 0.163 w.did -0.124 w.digital 0.144 w.dir 0.248 w.direct 0.359
w.directly 0.192 w.directory -0.171 w.discovered 0.249 w.display -0.132 w.do 0.071 w.doc 0.119 w.docs -0.235
w.document -0.2 w.documentation -0.149 w.documented 0.303 w.doesn't 0.489 w.domain 0.399 w.domains 0.203
w.don't 0.38 w.done 0.211 w.down -0.191 w.download 0.183 w.drafts 0.145 w.driver 0.156 w.due -0.227
w.duration -0.124 w.during -0.308 w.e 0.17 w.earlier 0.205 w.early -0.166 w.edit -0.21 w.edits 0.2 w.em 0.213
w.email -0.04 w.emails 0.248 w.empty -0.183 w.en -0.147 w.enable -0.186 w.enabled -0.082 w.endpoint -0.262
w.endpoints -0.374 w.engine -0.151 w.environment 0.194 w.error -0.096 w.errors 0.305 w.established 0.332 w.et 0.121
w.etc -0.081 w.even 0.345 w.every 0.521 w.everything 0.19 w.evidence -0.137 w.example -0.36 w.exec 0.095
w.execute -0.155 w.executed -0.284 w.execution 0.061 w.exist -0.131 w.existed -0.147 w.expanded -0.142
w.expired -0.154 w.external -0.166 w.extracted -0.128 w.extraction -0.098 w.f -0.063 w.facts -0.149 w.fail 0.131
w.failed -0.163 w.failing -0.193 w.fails -0.26 w.failures 0.144 w.false 0.107 w.family -0.174 w.fast 0.2
w.feature -0.119 w.features -0.306 w.fee -0.218 w.feed -0.224 w.feedback -0.138 w.files 0.247 w.filter 0.134
w.filtering -0.197 w.final 0.064 w.find -0.131 w.finding -0.221 w.fine 0.177 w.first -0.058 w.fix -0.071
w.fixed -0.254 w.fixes -0.076 w.flag 0.286 w.flow -0.283 w.folder 0.137 w.follow-up 0.127 w.for -0.06 w.form -0.189
w.format 0.354 w.found -0.078 w.foundation -0.159 w.framework -0.131 w.free 0.543 w.fresh -0.169 w.from 0.196
w.frontend -0.173 w.full -0.113 w.fully -0.234 w.function 0.157 w.future -0.222 w.gap -0.16 w.gaps -0.149
w.gates -0.171 w.gateway 0.194 w.gb 0.411 w.general 0.106 w.generated -0.145 w.generation 0.152 w.gets 0.181
w.guidance -0.119 w.h -0.124 w.handles 0.318 w.hardened -0.149 w.hardening -0.174 w.have 0.125 w.he 0.197
w.health 0.038 w.healthy -0.267 w.heartbeat 0.05 w.hero -0.183 w.high -0.174 w.his 0.355 w.hold -0.137 w.home -0.12
w.host 0.161 w.hour -0.204 w.hours -0.062 w.how -0.367 w.identity -0.102 w.idle -0.178 w.if -0.635 w.image 0.14
w.images 0.171 w.immediate 0.152 w.impact -0.148 w.implement -0.166 w.implementation -0.227 w.import 0.24
w.important 0.187 w.in 0.263 w.inbound -0.142 w.inbox 0.13 w.including 0.128 w.index 0.096 w.info -0.141
w.infrastructure -0.177 w.initially 0.183 w.inline -0.166 w.input -0.155 w.insights -0.26 w.install -0.13
w.installed 0.155 w.instead 0.087 w.instruction 0.165 w.integration -0.227 w.interaction -0.13 w.internal -0.176
w.into -0.103 w.investigate -0.155 w.is -0.035 w.isolated 0.356 w.issues -0.068 w.it's -0.153 w.items -0.203
w.job -0.201 w.jobs 0.095 w.jpg -0.205 w.just 0.312 w.k 0.133 w.keep 0.094 w.key -0.055 w.keys 0.209
w.keyword -0.151 w.knowledge -0.189 w.l -0.191 w.labels -0.173 w.last -0.072 w.later 0.163 w.launch -0.101
w.layer 0.182 w.learn -0.136 w.learning -0.085 w.learnings 0.12 w.ledger -0.201 w.lesson 0.483 w.level 0.271
w.lib -0.197 w.like -0.269 w.likely -0.129 w.likes -0.147 w.list -0.301 w.live 0.234 w.load -0.329 w.loaded -0.162
w.loading -0.128 w.local 0.17 w.locally 0.125 w.location 0.097 w.locked 0.235 w.log 0.139 w.logic -0.238
w.login -0.13 w.long -0.122 w.longer 0.145 w.loop -0.325 w.loss -0.138 w.lost -0.177 w.low -0.147 w.m -0.121
w.macos 0.266 w.maintenance 0.126 w.management -0.153 w.mandatory 0.241 w.manual 0.346 w.manually 0.295
w.mapping -0.145 w.market -0.257 w.marketing 0.184 w.markets -0.12 w.max 0.217 w.may -0.126 w.me 0.03
w.memory -0.229 w.merge 0.145 w.messages -0.169 w.metadata -0.215 w.migration -0.079 w.min 0.23 w.mismatch -0.27
w.missing -0.331 w.mission-control -0.339 w.mit 0.184 w.mo 0.303 w.mobile -0.086 w.mode 0.188 w.model 0.191
w.models 0.144 w.modified -0.166 w.module 0.131 w.momentum -0.159 w.monitor -0.118 w.monitoring -0.243
w.monthly 0.134 w.more -0.127 w.morning 0.24 w.move 0.188 w.ms -0.253 w.multi-agent -0.202 w.must 0.309 w.my -0.073
w.n 0.264 w.name 0.197 w.named 0.192 w.native 0.125 w.need -0.193 w.needed -0.172 w.needs -0.468 w.net -0.418
w.network -0.182 w.new -0.127 w.news 0.158 w.next -0.068 w.nginx 0.131 w.no -0.284 w.node 0.316 w.noise -0.208
w.not 0.156 w.note 0.291 w.notes -0.116 w.nothing -0.153 w.now 0.164 w.npm -0.243 w.npx 0.2 w.o 0.363 w.of -0.2
w.old 0.084 w.on 0.165 w.once -0.159 w.one 0.215 w.only -0.081 w.open 0.099 w.operational -0.29 w.ops -0.139
w.optimization -0.12 w.option 0.195 w.or -0.259 w.order 0.135 w.other 0.104 w.out 0.234 w.outreach 0.262
w.over 0.183 w.overlay 0.18 w.overnight -0.197 w.owner 0.267 w.p -0.201 w.page -0.35 w.pages 0.14 w.paid 0.178
w.panel -0.187 w.parent 0.31 w.parsing -0.168 w.partner 0.157 w.pass -0.16 w.passed -0.167 w.password -0.282
w.path -0.073 w.paths -0.157 w.pattern -0.134 w.patterns -0.298 w.payment -0.124 w.pending -0.391 w.per -0.136
w.performance -0.127 w.permission 0.282 w.permissions -0.236 w.personal 0.134 w.photo -0.209 w.photos -0.216
w.pipeline 0.137 w.plain 0.162 w.plan 0.073 w.planned -0.146 w.platform -0.138 w.playbook -0.183 w.plugin -0.121
w.plus 0.158 w.point 0.174 w.policy 0.142 w.polish -0.207 w.port 0.11 w.portfolio 0.082 w.positions -0.245
w.posted -0.202 w.posting 0.098 w.posts 0.133 w.potential -0.179 w.preference 0.382 w.prefers 0.4 w.prep -0.141
w.present -0.343 w.preserved -0.239 w.prevent 0.302 w.preview -0.225 w.price -0.25 w.problem 0.101 w.process 0.12
w.processes 0.18 w.product 0.1 w.production 0.113 w.profile 0.327 w.progress -0.215 w.projects 0.239
w.promotion 0.315 w.prompt -0.106 w.prompts -0.13 w.proof -0.189 w.properly -0.14 w.protocol -0.172
w.provided -0.191 w.provider 0.105 w.proxy 0.467 w.public 0.177 w.published 0.129 w.purpose -0.189 w.push 0.189
w.pushed -0.149 w.py 0.09 w.q -0.259 w.query -0.169 w.question 0.139 w.queue -0.233 w.quota 0.145 w.qwen 0.149
w.r 0.126 w.ran -0.392 w.range -0.144 w.rate -0.07 w.rather -0.314 w.raw 0.19 w.reached -0.154 w.read 0.081
w.ready -0.218 w.real -0.055 w.reasoning 0.283 w.received -0.14 w.recent -0.288 w.recommendation -0.181
w.recommended -0.166 w.red -0.222 w.redacted -0.183 w.reference 0.252 w.references 0.191 w.refresh 0.082
w.reliability 0.213 w.reliable 0.216 w.remain 0.248 w.remaining -0.276 w.reminder -0.067 w.remote 0.254
w.remove 0.117 w.removed -0.102 w.renamed 0.262 w.renders -0.173 w.replies 0.291 w.reply 0.09 w.repo 0.348
w.reported -0.107 w.repos 0.142 w.requests 0.116 w.requirement 0.156 w.requires 0.144 w.research 0.056
w.reset 0.296 w.resolution -0.341 w.resources -0.214 w.restart -0.132 w.restarted -0.192 w.restarts 0.177
w.restore 0.172 w.result -0.26 w.results 0.169 w.returned -0.204 w.returns -0.118 w.reverted -0.177 w.review -0.288
w.risk 0.049 w.role 0.147 w.roles 0.149 w.rollback -0.439 w.root 0.429 w.routes -0.164 w.routine 0.173
w.routing 0.078 w.rule 0.683 w.run -0.072 w.running -0.164 w.runs -0.076 w.runtime -0.229 w.safe 0.142
w.safety 0.121 w.sales -0.139 w.same -0.151 w.sample -0.139 w.sandbox 0.127 w.save 0.157 w.saved 0.082 w.say 0.191
w.says -0.142 w.scale -0.142 w.scheduled -0.175 w.schema 0.101 w.schemas -0.167 w.scope 0.206 w.score 0.154
w.scores -0.163 w.screen -0.159 w.script 0.14 w.scripts 0.081 w.second 0.207 w.secret 0.166 w.secrets 0.132
w.section -0.202 w.sections -0.178 w.security -0.265 w.see -0.24 w.selection -0.277 w.send 0.085 w.sends 0.134
w.separate 0.222 w.sequence -0.167 w.server 0.144 w.service -0.127 w.services 0.114 w.session 0.268
w.sessions -0.05 w.setup -0.234 w.sh 0.353 w.shell -0.121 w.showed -0.166 w.showing -0.138 w.shows -0.393
w.sidebar -0.174 w.signal -0.315 w.silent 0.177 w.simple 0.273 w.since -0.29 w.skill -0.217 w.slow -0.254
w.small 0.17 w.snapshot 0.1 w.so -0.395 w.software 0.248 w.solution 0.389 w.source 0.158 w.sources 0.129
w.specialist -0.219 w.specific -0.188 w.specs 0.122 w.src -0.221 w.stable -0.085 w.stack 0.085 w.start -0.149
w.starting 0.179 w.startup 0.168 w.state -0.232 w.stats -0.127 w.status -0.177 w.step -0.236 w.still -0.438
w.stop -0.173 w.storage 0.226 w.stored 0.319 w.stories 0.155 w.strategic 0.136 w.strategy -0.24 w.structure -0.212
w.style 0.283 w.styling -0.196 w.sub-agents 0.215 w.subagent 0.13 w.subagents 0.192 w.submitted -0.171
w.succeeded 0.216 w.success 0.101 w.successful -0.161 w.successfully -0.088 w.summary -0.064 w.supports -0.257
w.switch 0.209 w.switched 0.157 w.symbol -0.283 w.sync 0.109 w.system -0.36 w.systemd -0.158 w.systems -0.064
w.t 0.085 w.tags 0.165 w.taken 0.156 w.target 0.142 w.task -0.18 w.tasks 0.173 w.team -0.124 w.tech 0.465
w.technical 0.128 w.templates -0.353 w.test -0.439 w.testing -0.284 w.tests -0.143 w.text -0.111 w.than -0.129
w.that 0.064 w.that's -0.178 w.the -0.112 w.their 0.26 w.then 0.403 w.these -0.111 w.thesis -0.341 w.they -0.262
w.things 0.275 w.think -0.164 w.this -0.167 w.three -0.277 w.threshold 0.206 w.through -0.293 w.tier 0.159
w.time -0.062 w.timed -0.172 w.timeline -0.105 w.times -0.163 w.timestamp -0.234 w.timezone 0.344 w.title 0.19
w.today -0.155 w.today's -0.257 w.tokens 0.194 w.too 0.324 w.tool 0.11 w.tools 0.147 w.top -0.214 w.total -0.128
w.track -0.147 w.tracking -0.147 w.trading -0.115 w.transaction -0.187 w.transactions -0.149 w.tried -0.145
w.triggered -0.197 w.true 0.194 w.trust -0.1 w.truth 0.271 w.try -0.129 w.tsx -0.097 w.two 0.132 w.txt -0.2
w.type -0.211 w.types -0.194 w.unchanged -0.178 w.unless 0.122 w.unread -0.163 w.until 0.174 w.up -0.086
w.update -0.271 w.upgrade -0.099 w.upgraded -0.156 w.usage -0.089 w.use 0.45 w.user 0.237 w.users 0.139
w.uses 0.195 w.using 0.132 w.v -0.075 w.valid 0.236 w.validated -0.121 w.validation -0.37 w.value -0.144
w.vault 0.372 w.verdict -0.371 w.verification -0.464 w.verified -0.202 w.verify -0.094 w.version -0.471
w.versions -0.173 w.via 0.134 w.video 0.12 w.videos 0.115 w.visible -0.241 w.vision 0.203 w.voice -0.153
w.vs -0.505 w.wait 0.15 w.waiting -0.184 w.wants 0.408 w.warning 0.114 w.was 0.201 w.watch -0.12 w.watchdog -0.118
w.we -0.153 w.web 0.368 w.webhook -0.222 w.week -0.251 w.were -0.198 w.what -0.286 w.when 0.318 w.why -0.399
w.will -0.056 w.window -0.161 w.with -0.288 w.without -0.118 w.work 0.147 w.workaround 0.38 w.workflows -0.225
w.working 0.134 w.works 0.144 w.workspace 0.132 w.would 0.133 w.wrapper -0.237 w.write 0.236 w.wrote 0.203
w.x 0.409 w.y 0.203 w.year 0.161 w.yes -0.144 w.yet -0.529 w.you -0.194 w.you're -0.146 w.zero 0.299 w.zone 0.182
w.今日 -0.166 w.价格 -0.095 w.任务 -0.129 w.优先 0.396 w.使用 0.102 w.信号 -0.105 w.修复 -0.198 w.关键 0.171 w.内容 0.106 w.功能 -0.142
w.原因 0.208 w.命令 0.208 w.失败 0.117 w.学习 -0.158 w.完成 -0.153 w.完整 0.172 w.工作 0.152 w.工具 0.134 w.市场 0.099 w.建议 -0.13
w.成本 0.208 w.所有 0.439 w.技术 -0.089 w.持续 -0.159 w.推送 0.205 w.操作 0.206 w.支持 -0.111 w.整理 -0.137 w.文件 0.177 w.方案 0.188
w.时间 -0.124 w.本地 0.203 w.检查 0.112 w.模式 0.114 w.正常 -0.2 w.每天 0.242 w.每日 0.102 w.没有 0.182 w.测试 -0.107 w.状态 -0.283
w.用户 0.113 w.直接 0.425 w.确认 0.404 w.稳定 0.155 w.管理 0.116 w.结论 0.242 w.自动 0.116 w.要求 0.26 w.设置 0.235 w.资金 0.129
w.运行 -0.149 w.问题 0.117 w.项目 -0.14 wh.a -0.155 wh.access 0.426 wh.account 0.126 wh.accounts 0.231 wh.action -0.289
wh.actions -0.448 wh.activity 0.118 wh.after 0.113 wh.agent 0.039 wh.agents 0.098 wh.am -0.204 wh.analysis -0.467
wh.and -0.485 wh.app -0.289 wh.applied -0.235 wh.approved 0.283 wh.architecture -0.065 wh.audit -0.264 wh.b -0.347
wh.backup 0.179 wh.batch -0.145 wh.blocked -0.14 wh.blocker -0.171 wh.bot 0.121 wh.brief 0.194 wh.browser 0.093
wh.bug -0.284 wh.build -0.18 wh.built -0.158 wh.business -0.183 wh.c -0.201 wh.cause 0.307 wh.changes -0.127
wh.check -0.129 wh.cleanup -0.367 wh.code -0.374 wh.commits -0.151 wh.communication 0.444 wh.complete 0.209
wh.completed -0.066 wh.config 0.148 wh.configuration -0.291 wh.confirmed 0.412 wh.content -0.361 wh.context 0.506
wh.conversation -0.131 wh.core -0.099 wh.cost 0.126 wh.created -0.217 wh.critical -0.17 wh.cron -0.367
wh.current 0.203 wh.daily 0.295 wh.dashboard -0.267 wh.database -0.104 wh.day -0.099 wh.decision 0.117
wh.decisions 0.239 wh.delivered -0.109 wh.deploy 0.227 wh.deployed -0.313 wh.design 0.082 wh.discovery 0.561
wh.do 0.3 wh.docs -0.284 wh.documentation -0.372 wh.done -0.141 wh.e 0.325 wh.email -0.174 wh.end 0.111
wh.established 0.776 wh.evening -0.097 wh.execution -0.144 wh.feature -0.164 wh.features -0.272 wh.feedback 0.505
wh.files -0.188 wh.findings -0.477 wh.first 0.224 wh.fix -0.285 wh.fixed 0.198 wh.fixes -0.06 wh.for -0.168
wh.from 0.113 wh.full -0.24 wh.gateway 0.14 wh.git 0.078 wh.happened 0.17 wh.health -0.38 wh.heartbeat -0.452
wh.i -0.159 wh.identified -0.229 wh.identity 0.246 wh.immediate -0.133 wh.implementation -0.168
wh.implemented -0.098 wh.in -0.077 wh.infrastructure 0.221 wh.insight -0.101 wh.insights -0.261 wh.installed -0.249
wh.integration -0.157 wh.is -0.131 wh.issue -0.284 wh.issues -0.184 wh.items -0.291 wh.job 0.469 wh.jobs 0.414
wh.key -0.088 wh.knowledge -0.26 wh.late 0.07 wh.learned 0.271 wh.learning -0.107 wh.learnings 0.368
wh.lessons 0.076 wh.live -0.193 wh.log -0.418 wh.made 0.234 wh.major -0.07 wh.management -0.143 wh.market 0.08
wh.memory -0.071 wh.migration 0.413 wh.mobile -0.111 wh.model 0.187 wh.modified -0.095 wh.monitor -0.209
wh.monitoring 0.226 wh.morning -0.279 wh.next -0.253 wh.night -0.358 wh.no -0.175 wh.note -0.327 wh.notes 0.679
wh.observations 0.175 wh.of -0.376 wh.open 0.249 wh.other -0.182 wh.overnight -0.272 wh.p -0.242 wh.path -0.408
wh.pattern 0.269 wh.pending 0.062 wh.personal 0.301 wh.plan -0.098 wh.priority -0.129 wh.product 0.34
wh.progress 0.153 wh.project -0.259 wh.protocol -0.1 wh.queue -0.285 wh.real 0.152 wh.remaining -0.213
wh.reminder 0.542 wh.repo 0.142 wh.required -0.101 wh.research -0.302 wh.resolved 0.34 wh.results 0.1
wh.review -0.403 wh.role 0.281 wh.root 0.408 wh.rule 0.266 wh.rules 0.196 wh.run -0.29 wh.scripts -0.261
wh.search 0.422 wh.security 0.164 wh.sent -0.212 wh.session 0.093 wh.setup -0.063 wh.skill -0.145 wh.skills -0.244
wh.state 0.267 wh.stats -0.132 wh.status -0.473 wh.steps -0.101 wh.still -0.103 wh.strategic 0.148
wh.strategy 0.275 wh.structure 0.235 wh.sub-agent 0.091 wh.summary 0.1 wh.sync -0.125 wh.system -0.253
wh.task -0.371 wh.tasks -0.297 wh.team 0.201 wh.the -0.138 wh.this -0.648 wh.timeline -0.269 wh.to -0.3
wh.today 0.222 wh.today's -0.185 wh.tomorrow -0.088 wh.tool 0.147 wh.tools -0.556 wh.top -0.292 wh.total -0.16
wh.tracking 0.157 wh.trading -0.37 wh.update 0.286 wh.updated 0.398 wh.updates 0.239 wh.upgrade 0.225
wh.usage 0.259 wh.user 0.112 wh.v 0.059 wh.validation 0.161 wh.verification -0.293 wh.verified -0.186
wh.voice 0.105 wh.vs 0.112 wh.was -0.146 wh.week -0.221 wh.weekly -0.155 wh.what -0.279 wh.what's -0.249
wh.why -0.367 wh.with 0.176 wh.workflow 0.407 wh.working 0.09 wh.workspace -0.264 wh.x -0.157 wh.今日 -0.224
wh.信息 0.326 wh.修复 0.147 wh.关注 -0.142 wh.关键 -0.126 wh.内容 0.261 wh.分析 -0.144 wh.发现 0.078 wh.完成 0.302 wh.待办 -0.109
wh.总结 0.094 wh.技术 0.1 wh.技能 -0.103 wh.数据 -0.058 wh.文件 -0.124 wh.更新 0.165 wh.检查 -0.375 wh.模型 0.103 wh.状态 -0.267
wh.用户 0.943 wh.系统 0.158 wh.重要 0.383 wh.问题 0.387 wl.account 0.142 wl.action -0.086 wl.agent -0.187 wl.applied 0.188
wl.at -0.184 wl.bug -0.225 wl.build -0.14 wl.c -0.168 wl.cause 0.219 wl.check -0.157 wl.confirmed 0.175
wl.created -0.256 wl.cron -0.131 wl.current -0.096 wl.decision 0.344 wl.expected -0.242 wl.from 0.13
wl.heartbeat -0.146 wl.in 0.209 wl.issue 0.146 wl.lesson 0.626 wl.location 0.2 wl.model 0.224 wl.needed -0.14
wl.new 0.203 wl.next -0.157 wl.pattern 0.26 wl.pending -0.128 wl.recommendation -0.145 wl.repo 0.179
wl.review -0.146 wl.root 0.346 wl.rule 0.207 wl.session -0.085 wl.solution 0.274 wl.source -0.299 wl.status -0.256
wl.step -0.157 wl.task -0.102 wl.time -0.169 wl.update 0.179 wl.user 0.168 wl.verification -0.128 wl.why -0.115
wl.working 0.176 wl.文件 0.201 wl.时间 -0.141 wl.状态 -0.098 wl.用户 0.219
"""
"""Feature and weight in turn; ``w.`` word of the text, ``wl.`` of its label, ``wh.`` of its heading."""


def _parse() -> dict[str, float]:
    fields = _TABLE.split()
    return {name: float(weight) for name, weight in zip(fields[::2], fields[1::2], strict=True)}


WORD_WEIGHTS = _parse()
