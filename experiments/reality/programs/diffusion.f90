! Heat in a plate, whose settings may be changed while it runs: diffusion each|seldom|open STEPS
! They are read in each step, from a file that is opened and closed, or that stays open and is
! rewound; or in each hundredth step.
program diffusion
  implicit none
  integer, parameter :: n = 112
  real :: plate(n, n), next(n, n), rate, source
  logical :: stop_now
  integer :: step, steps, unit
  character(16) :: mode, word
  namelist /control/ rate, source, stop_now

  call get_command_argument(1, mode)
  call get_command_argument(2, word)
  read (word, *) steps
  plate = 0
  next = 0
  if (mode == 'open') open (newunit=unit, file='control.nml', status='old', action='read')
  do step = 0, steps - 1
    if (mode == 'open') then
      rewind (unit)
      read (unit, nml=control)
    else if (mode == 'each' .or. mod(step, 100) == 0) then
      open (newunit=unit, file='control.nml', status='old', action='read')
      read (unit, nml=control)
      close (unit)
    end if
    if (stop_now) exit
    plate(n/2, n/2) = plate(n/2, n/2) + source
    call advance(plate, next)
    call advance(next, plate)
  end do
  open (newunit=unit, file='out', access='stream', form='unformatted', status='replace')
  write (unit) plate
  close (unit)
contains
  subroutine advance(old, new)
    real, intent(in) :: old(n, n)
    real, intent(inout) :: new(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        new(i, j) = old(i, j) + rate*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) &
                                      + old(i, j + 1) - 4*old(i, j))
      end do
    end do
  end subroutine
end program
